import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { arrangeTenant, enableAutoCreate, type Studio } from '../arrange.ts';
import { accepted, call, signIn, type Answer } from '../http.ts';
import { startVictim, withstands } from './victim.ts';

const victim = await startVictim();
const { url } = victim;
const attacker = await arrangeTenant(url);
// Before the attacks, which use up the limit of this network.
const uploaders = { columns: await arrangeTenant(url), rows: await arrangeTenant(url) };
const { gameKey, at: tenant } = attacker;
const account = { authorization: `Bearer ${attacker.accessToken}` };

/** Signs the attacker's player in from a new device. */
function logIn(metadata: object): Promise<Answer> {
  const body = {
    provider: 'Mock',
    token: 'mock:hoarder:secret',
    deviceInfo: { deviceFingerprint: randomUUID(), metadata },
    clientInfo: { platform: 'Other', metadata },
  };
  return call('POST', `${url}/api/player-auth/login`, { gameKey, body });
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

test('rejects sign-ins with large metadata, and lists many devices of a player', (t) =>
  withstands(t, victim, async () => {
    const large = { text: 'x'.repeat(450_000) };
    await repeat(60, async () => {
      const { status } = await logIn(large);
      assert.ok([400, 413].includes(status), `large metadata was answered with ${status}`);
    });
    const allowed = { text: 'x'.repeat(6_000) };
    await repeat(120, async () => assert.equal((await logIn(allowed)).status, 200));
    const { accessToken: bearer } = await signIn(url, gameKey, 'hoarder');
    await repeat(16, async () => {
      const devices = await accepted('GET', `${url}/api/player/devices`, { bearer }, 200);
      assert.equal(devices.length, 50);
      const { length } = JSON.stringify(devices);
      assert.ok(length < 500_000, `the list has ${length} bytes`);
    });
    const everything = await accepted('GET', `${url}/api/player-profile/me/export`, { bearer });
    assert.deepEqual([everything.devices.length, everything.logins.length], [50, 121]);
  }));

/** Sends a batch of events of the attacker's player. */
async function ingest(eventKeys: string[]): Promise<Answer> {
  const { accessToken, playerId } = await signIn(url, gameKey, 'hoarder');
  const events = eventKeys.map((eventKey) => ({
    playerId,
    eventKey,
    idempotencyKey: randomUUID(),
    occurredAt: new Date().toISOString(),
  }));
  const parts = { gameKey, bearer: accessToken, body: { events } };
  return call('POST', `${url}/api/game/player-events`, parts);
}

test('creates at most 5,000 definitions, and limits how often an account lists them', async (t) => {
  await enableAutoCreate(url, attacker);
  const create = (batch: number) =>
    ingest(Array.from({ length: 2_500 }, (_, index) => `flood ${batch} ${index}`));
  assert.deepEqual([(await create(1)).status, (await create(2)).status], [201, 201]);
  const refused = await create(3);
  assert.deepEqual([refused.status, refused.body.errors.length], [422, 2_500]);
  assert.match(refused.body.errors[0].error, /auto-create stops at 5000/);
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
  const { key } = await accepted('POST', `${url}${tenant}/api-keys`, {
    body: { name: 'export', allowDataApi: true },
    bearer: attacker.accessToken,
  });
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
    const { status, headers, body } = await call('GET', further, { bearer: attacker.accessToken });
    assert.deepEqual([status, body.code], [429, 'too_many_exports']);
    assert.ok(headers.has('retry-after'));
  }
  const { accessToken, at } = victim.honest;
  const honest = await call('GET', `${url}${at}/events/export?scope=player`, { bearer: accessToken });
  assert.deepEqual([honest.status, honest.body], [200, '']);
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
