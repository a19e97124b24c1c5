import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../arrange.ts';
import { arrangeStudio, startVictim, withstands, type Studio } from './victim.ts';

const victim = await startVictim();
const { url } = victim;
const attacker = await arrangeStudio(url);
// Before the attacks, which use up the limit of this network.
const uploaders = { columns: await arrangeStudio(url), rows: await arrangeStudio(url) };
const tenant = `/api/bus_tenants/${attacker.tenantId}`;
const json = { 'content-type': 'application/json', 'x-game-key': attacker.gameKey };
const account = { authorization: `Bearer ${attacker.accessToken}` };

/** Signs the attacker's player in from a new device. */
function logIn(metadata: object): Promise<Response> {
  return fetch(`${url}/api/player-auth/login`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({
      provider: 'Mock',
      token: 'mock:hoarder:secret',
      deviceInfo: { deviceFingerprint: randomUUID(), metadata },
      clientInfo: { platform: 'Other', metadata },
    }),
  });
}

const ATTACK_MS = 4_000;

/** The attacker shares its cores with the server. Without a pause, its own work on refused files of 2 MiB would slow the server. */
const AFTER_REFUSAL_MS = 100;

/** Sends requests for some seconds, some at once. Asserts that each is answered as expected, or with a 429, and at least one as expected. */
async function flood(
  path: string,
  options: RequestInit,
  expected: (status: number, text: string) => unknown,
  atOnce = 2,
): Promise<void> {
  const end = performance.now() + ATTACK_MS;
  let served = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      // An earlier attack may have used up the limit of this network.
      while (performance.now() < end || served === 0) {
        const answer = await fetch(url + path, options);
        const text = await answer.text();
        if (answer.status === 429) {
          assert.ok(answer.headers.has('retry-after'));
          await sleep(AFTER_REFUSAL_MS);
        } else {
          expected(answer.status, text);
          served++;
        }
      }
    }),
  );
}

/** Runs `work` `times` times, 2 at once, like the honest connections. */
async function repeat(times: number, work: (number: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: 2 }, async () => {
      while (next < times) await work(next++);
    }),
  );
}

async function playerToken(): Promise<{ accessToken: string; playerId: string }> {
  const answer = await logIn({});
  assert.equal(answer.status, 200);
  return (await answer.json()) as { accessToken: string; playerId: string };
}

test('rejects sign-ins with large metadata, and lists many devices of a player', (t) =>
  withstands(t, victim, async () => {
    const large = { text: 'x'.repeat(450_000) };
    await repeat(60, async () => {
      const answer = await logIn(large);
      await answer.text();
      assert.ok([400, 413].includes(answer.status), `large metadata was answered with ${answer.status}`);
    });
    const allowed = { text: 'x'.repeat(6_000) };
    await repeat(120, async () => assert.equal((await logIn(allowed)).status, 200));
    const { accessToken } = await playerToken();
    const own = { headers: { authorization: `Bearer ${accessToken}` } };
    await repeat(16, async () => {
      const answer = await fetch(`${url}/api/player/devices`, own);
      const text = await answer.text();
      assert.deepEqual([answer.status, JSON.parse(text).length], [200, 50]);
      assert.ok(text.length < 500_000, `the list has ${text.length} bytes`);
    });
    const exported = await fetch(`${url}/api/player-profile/me/export`, own);
    const everything = (await exported.json()) as { devices: object[]; logins: object[] };
    assert.deepEqual([everything.devices.length, everything.logins.length], [50, 121]);
  }));

/** Sends a batch of events of the attacker's player. */
async function ingest(eventKeys: string[]) {
  const { accessToken, playerId } = await playerToken();
  const answer = await fetch(`${url}/api/game/player-events`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({
      events: eventKeys.map((eventKey) => ({
        playerId,
        eventKey,
        idempotencyKey: randomUUID(),
        occurredAt: new Date().toISOString(),
      })),
    }),
  });
  return { status: answer.status, body: (await answer.json()) as { errors: { error: string }[] } };
}

test('creates at most 5,000 definitions, and limits how often an account lists them', async (t) => {
  await send(
    `${url}${tenant}/event-definitions/settings`,
    'PATCH',
    { autoCreate: true },
    attacker.accessToken,
  );
  const create = (batch: number) =>
    ingest(Array.from({ length: 2_500 }, (_, index) => `flood ${batch} ${index}`));
  assert.deepEqual([(await create(1)).status, (await create(2)).status], [201, 201]);
  const refused = await create(3);
  assert.deepEqual([refused.status, refused.body.errors.length], [422, 2_500]);
  assert.match(refused.body.errors[0]!.error, /auto-create stops at 5000/);
  await withstands(t, victim, () =>
    flood(`${tenant}/event-definitions`, { headers: account }, (status, text) =>
      assert.deepEqual([status, (JSON.parse(text) as object[]).length], [200, 5_000]),
    ),
  );
});

describe('CSV files of 2 MiB', () => {
  /** Uploads a file again and again, by an account of its own. */
  const floodWith = async (
    { accessToken, tenantId }: Studio,
    csv: string,
    expected: RegExp,
  ): Promise<void> => {
    const form = new FormData();
    form.append('file', new Blob([csv]), 'definitions.csv');
    const encoded = new Response(form);
    const headers = {
      authorization: `Bearer ${accessToken}`,
      'content-type': encoded.headers.get('content-type')!,
    };
    const body = await encoded.arrayBuffer();
    const path = `/api/bus_tenants/${tenantId}/event-definitions/import`;
    await flood(path, { method: 'POST', headers, body }, (status, text) =>
      assert.match(`${status} ${text}`, expected),
    );
  };

  test('rejects headers with 500,000 columns', async (t) => {
    const wide = `event_key,event_value${','.repeat(500_000)}\n${`k,v${','.repeat(290)}\n`.repeat(5_000)}`;
    await withstands(t, victim, () => floodWith(uploaders.columns, wide, /^400 .*"csv_header"/));
  });

  test('reports 5,000 invalid rows', async (t) => {
    const row = `${'k'.repeat(40)},value,${'x'.repeat(370)}\n`;
    const invalid = `event_key,event_value,event_description\n${row.repeat(5_000)}`;
    await withstands(t, victim, () => floodWith(uploaders.rows, invalid, /^200 .*"failed":5000/));
  });
});

test('exports without a pause, and rejects a fifth export while four readers stall', async (t) => {
  // More than the socket buffers hold for a stalled reader.
  for (let batch = 0; batch < 3; batch++)
    assert.equal((await ingest(Array.from({ length: 10_000 }, () => 'flood 1 1'))).status, 201);
  const { key = '' } = await send(
    `${url}${tenant}/api-keys`,
    'POST',
    { name: 'export', allowDataApi: true },
    attacker.accessToken,
  );
  await withstands(t, victim, () =>
    flood(
      `${tenant}/events/export?scope=player`,
      { headers: { 'x-api-key': key } },
      (status) => assert.equal(status, 200),
      8,
    ),
  );
  await withstands(t, victim, async () => {
    await stallExports();
    await sleep(ATTACK_MS);
  });
});

async function stallExports(): Promise<void> {
  const path = `${url}${tenant}/events/export?scope=player`;
  const stalled = await Promise.all(Array.from({ length: 4 }, () => openWithoutReading(path)));
  assert.deepEqual(
    stalled.map(({ statusCode }) => statusCode),
    [200, 200, 200, 200],
  );
  for (const further of [path, `${url}${tenant}/event-definitions/export`]) {
    const answer = await fetch(further, { headers: account });
    const { code } = (await answer.json()) as { code: string };
    assert.deepEqual([answer.status, code], [429, 'too_many_exports']);
    assert.ok(answer.headers.has('retry-after'));
  }
  const { accessToken, tenantId } = victim.honest;
  const honest = await fetch(`${url}/api/bus_tenants/${tenantId}/events/export?scope=player`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  assert.deepEqual([honest.status, await honest.text()], [200, '']);
  for (const response of stalled) response.destroy();
  for (let status = 0; status !== 200; await sleep(1_000)) {
    const again = await fetch(path, { headers: account });
    status = again.status;
    await again.body?.cancel();
  }
}

/** Sends a request and reads only the headers of the response. */
async function openWithoutReading(address: string): Promise<IncomingMessage> {
  const request = get(address, { headers: account, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}
