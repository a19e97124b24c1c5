import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangePlayer } from '../../../testing/arrange.ts';
import { arrangeStudio, counts } from '../../../testing/definition-csv.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();

/** Creates a tenant with `count` definitions. */
async function arrangeDefinitions(count: number) {
  const studio = await arrangeStudio(app);
  await app.owner.query(
    `INSERT INTO event_definitions (tenant_id, id, event_key, event_scope)
     SELECT $1, gen_random_uuid(), 'key ' || number, 'both' FROM generate_series(1, $2) number`,
    [studio.tenant.tenantId, count],
  );
  return studio;
}

async function countDefinitions(tenantId: string): Promise<number> {
  const { rows } = await app.owner.query('SELECT count(*) FROM event_definitions WHERE tenant_id = $1', [
    tenantId,
  ]);
  return Number(rows[0].count);
}

describe('POST /api/game/player-events', () => {
  const arrange = async (count: number) => {
    const studio = await arrangeDefinitions(count);
    await app.http.patch(`${studio.list}/settings`, { autoCreate: true }, studio.admin);
    const player = await arrangePlayer(app, studio.tenant);
    const sendEvents = (...events: { eventKey: string; idempotencyKey: string; occurredAt: string }[]) =>
      app.http.post(
        '/api/game/player-events',
        { events: events.map((event) => ({ playerId: player.playerId, ...event })) },
        player.caller,
      );
    const send = (...eventKeys: string[]) =>
      sendEvents(
        ...eventKeys.map((eventKey) => ({
          eventKey,
          idempotencyKey: randomUUID(),
          occurredAt: new Date().toISOString(),
        })),
      );
    return { ...studio, send, sendEvents };
  };

  test('creates definitions up to 5,000 per tenant, then rejects events with 422', async () => {
    const { tenant, send } = await arrange(4_998);
    const { status, body } = await send('one', 'two', 'three', 'one');
    assert.equal(status, 201);
    assert.deepEqual(
      body.records.map(({ index }: { index: number }) => index),
      [0, 1, 3],
    );
    const [refused] = body.errors;
    assert.deepEqual([refused.index, refused.statusCode, refused.eventKey], [2, 422, 'three']);
    assert.match(refused.error, /auto-create stops at 5000 definitions per tenant/);
    assert.equal((await send('one', 'two')).status, 201, 'events with existing definitions are accepted');
    const full = await send('three', 'four');
    assert.deepEqual([full.status, full.body.errors.length], [422, 2]);
    assert.equal(await countDefinitions(tenant.tenantId), 5_000);
  });

  test('stores the event with a definition, if another with its idempotency key has none', async () => {
    const { tenant, sendEvents } = await arrange(5_000);
    const same = { idempotencyKey: 'same', occurredAt: '2026-11-20T10:00:00Z' };
    const { status, body } = await sendEvents(
      { ...same, eventKey: 'new' },
      { ...same, eventKey: 'key 1' },
      { ...same, eventKey: 'new' },
    );
    assert.equal(status, 201);
    assert.deepEqual([body.records.length, body.records[0].index, body.duplicateCount], [1, 1, 2]);
    assert.equal(await countDefinitions(tenant.tenantId), 5_000);
  });

  test('accepts batches that create the last definition at the same time', async () => {
    for (let round = 0; round < 4; round++) {
      const { send } = await arrange(4_999);
      const answers = await Promise.all(Array.from({ length: 24 }, () => send('last')));
      assert.deepEqual(
        answers.map(({ status }) => status),
        answers.map(() => 201),
      );
    }
  });

  test('keeps the limit when batches with different keys arrive at the same time', async () => {
    const { tenant, send } = await arrange(4_990);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, batch) =>
        send(...Array.from({ length: 5 }, (__, index) => `batch ${batch} event ${index}`)),
      ),
    );
    assert.equal(
      answers.reduce((sum, { body }) => sum + body.records.length, 0),
      10,
    );
    assert.equal(await countDefinitions(tenant.tenantId), 5_000);
  });
});

describe('POST /api/bus_tenants/:tenantId/event-definitions', () => {
  test('returns 409 when the tenant has 20,000 definitions', async () => {
    const { tenant, admin, list } = await arrangeDefinitions(19_999);
    const create = (eventKey: string) => app.http.post(list, { eventKey }, admin);
    const answers = await Promise.all(['a', 'b', 'c'].map(create));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409]);
    const refused = answers.find(({ status }) => status === 409)!;
    assert.equal(refused.body.code, 'definition_limit');
    assert.match(refused.body.detail, /at most 20000/);
    assert.equal((await create('key 1')).body.code, 'duplicate_definition');
    assert.equal(await countDefinitions(tenant.tenantId), 20_000);
  });
});

describe('POST /api/bus_tenants/:tenantId/event-definitions/import', () => {
  test('fails the rows beyond 20,000 definitions and creates the others', async () => {
    const studio = await arrangeDefinitions(19_998);
    const { status, body } = await studio.import('event_key,event_value\nkey 7,\na,\nb,\nc,\nkey 8,\nd,\n');
    assert.equal(status, 200);
    assert.deepEqual(counts(body), [6, 2, 0, 4]);
    assert.deepEqual(
      body.errors.map(({ rowNumber, message }: { rowNumber: number; message: string }) => [
        rowNumber,
        message.replace(/^A tenant may have at most 20000 .*/, 'limit'),
      ]),
      [
        [2, 'A definition with this key and value exists.'],
        [5, 'limit'],
        [6, 'A definition with this key and value exists.'],
        [7, 'limit'],
      ],
    );
    assert.equal(await countDefinitions(studio.tenant.tenantId), 20_000);
  });
});

describe('GET /api/bus_tenants/:tenantId/event-definitions', () => {
  test('returns an array of any length, sorted like the pages', async () => {
    for (const count of [0, 499, 500, 501, 1_000, 2_345]) {
      const { admin, list } = await arrangeDefinitions(count);
      const { status, headers, body } = await app.http.get(list, admin);
      assert.equal(status, 200);
      assert.match(headers.get('content-type') ?? '', /^application\/json/);
      assert.equal(body.length, count);
      const page = await app.http.get(`${list}?paged=true&limit=1000`, admin);
      assert.deepEqual(body.slice(0, 1_000), page.body.items);
      assert.equal(new Set(body.map(({ id }: { id: string }) => id)).size, count);
    }
  });

  test('omits inactive definitions from a long array by default', async () => {
    const { tenant, admin, list } = await arrangeDefinitions(1_200);
    await app.owner.query(
      `UPDATE event_definitions SET is_active = false WHERE tenant_id = $1 AND event_key LIKE '%7'`,
      [tenant.tenantId],
    );
    assert.equal((await app.http.get(list, admin)).body.length, 1_080);
    assert.equal((await app.http.get(`${list}?includeInactive=true`, admin)).body.length, 1_200);
  });
});
