import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { openChangeFeed } from '../../../database/change-feed.ts';
import { openDatabase, type Database } from '../../../database/database.ts';
import { arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { pairKey } from './definition.ts';
import { cacheDefinitions } from './known-definitions.ts';
import { createDefinitionResolver } from './resolve-definitions.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl);
const changes = await openChangeFeed(app.databaseUrl);
after(async () => {
  await changes.close();
  await database.close();
});

/** A database that counts how often it is asked, and can be made to wait before it gives its answer. */
function observed() {
  const seen = { questions: 0, beforeAnswer: async () => {} };
  const watching: Database = {
    ...database,
    forTenant(tenantId) {
      const scope = database.forTenant(tenantId);
      return {
        ...scope,
        async rows(statement) {
          seen.questions++;
          const rows = await scope.rows(statement);
          await seen.beforeAnswer();
          return rows as never;
        },
      };
    },
  };
  return { seen, resolver: createDefinitionResolver(watching, changes) };
}

async function define(tenantId: string, eventKey: string, eventValue: string | null = null) {
  const id = randomUUID();
  await app.owner.query(
    'INSERT INTO event_definitions (tenant_id, id, event_key, event_value) VALUES ($1, $2, $3, $4)',
    [tenantId, id, eventKey, eventValue],
  );
  return id;
}

function definition(id: string) {
  return { id, eventKey: id, eventValue: null, eventScope: 'both' as const, isActive: true };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 5000; Date.now() < deadline;) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail('it did not happen within 5 seconds');
}

test('definitions are found by id and by pair, with one question, and then with none', async () => {
  const { tenantId } = await arrangeTenant(app);
  const [kill, sword, bare] = await Promise.all([
    define(tenantId, 'kill', 'orc'),
    define(tenantId, 'loot', 'sword'),
    define(tenantId, 'loot'),
  ]);
  const { seen, resolver } = observed();
  const wanted = {
    ids: [kill],
    pairs: [
      { eventKey: 'loot', eventValue: 'sword' },
      { eventKey: 'loot', eventValue: null },
    ],
  };
  const found = await resolver.resolve(tenantId, wanted);
  assert.equal(found.byId.get(kill)?.eventValue, 'orc');
  assert.equal(found.byPair.get(pairKey('loot', 'sword'))?.id, sword);
  assert.deepEqual(found.byPair.get(pairKey('loot', null)), {
    id: bare,
    eventKey: 'loot',
    eventValue: null,
    eventScope: 'match',
    isActive: true,
  });
  assert.equal(seen.questions, 1);

  // Our own inserts may still be told of, so it may be asked once more.
  await until(async () => {
    const before = seen.questions;
    const again = await resolver.resolve(tenantId, wanted);
    assert.equal(again.byPair.get(pairKey('loot', 'sword'))?.id, sword);
    return seen.questions === before;
  });
});

test('what does not exist is asked for again, and found once it does', async () => {
  const { tenantId } = await arrangeTenant(app);
  const { resolver } = observed();
  const wanted = { ids: [randomUUID()], pairs: [{ eventKey: 'late', eventValue: 'x' }] };
  const key = pairKey('late', 'x');
  assert.equal((await resolver.resolve(tenantId, wanted)).byPair.get(key), undefined);
  const id = await define(tenantId, 'late', 'x');
  assert.equal((await resolver.resolve(tenantId, wanted)).byPair.get(key)?.id, id);
});

test('a definition of another tenant is not found', async () => {
  const [mine, theirs] = [await arrangeTenant(app), await arrangeTenant(app)];
  const id = await define(theirs.tenantId, 'secret');
  const { resolver } = observed();
  const wanted = { ids: [id], pairs: [{ eventKey: 'secret', eventValue: null }] };
  const found = await resolver.resolve(mine.tenantId, wanted);
  assert.equal(found.byId.size + found.byPair.size, 0);
});

test('a change made by another process is seen', async () => {
  const { tenantId } = await arrangeTenant(app);
  const id = await define(tenantId, 'kill');
  const { resolver } = observed();
  const isActive = async () =>
    (await resolver.resolve(tenantId, { ids: [id], pairs: [] })).byId.get(id)?.isActive;
  assert.equal(await isActive(), true);
  await app.owner.query('UPDATE event_definitions SET is_active = false WHERE id = $1', [id]);
  await until(async () => (await isActive()) === false);
});

test('a value whose reading began before a change is not remembered', async () => {
  const { tenantId } = await arrangeTenant(app);
  const id = await define(tenantId, 'kill');
  const { seen, resolver } = observed();
  const read = async () =>
    (await resolver.resolve(tenantId, { ids: [id], pairs: [] })).byId.get(id)?.isActive;
  seen.beforeAnswer = async () => {
    await app.owner.query('UPDATE event_definitions SET is_active = false WHERE id = $1', [id]);
    resolver.invalidateDefinitions(tenantId);
  };
  assert.equal(await read(), true);
  seen.beforeAnswer = async () => {};
  assert.equal(await read(), false);
});

test('the memory is bounded over all tenants', () => {
  const known = cacheDefinitions({ on: () => {}, close: async () => {} }, 10);
  const fill = (tenantId: string, count: number) =>
    known.add(
      tenantId,
      known.of(tenantId),
      Array.from({ length: count }, (_, index) => definition(`${tenantId}${index}`)),
    );
  fill('a', 5);
  assert.equal(known.of('a').byId.size, 5);
  fill('b', 5);
  assert.equal(known.of('b').byId.size, 5);
  assert.equal(known.of('a').byId.size, 0, 'the least used tenant made room');
  fill('c', 20);
  assert.equal(known.of('c').byId.size, 0, 'a tenant larger than the whole memory is not kept');
});

test('auto-created definitions carry the scope, and one audit record each', async () => {
  const { tenantId } = await arrangeTenant(app);
  const existing = await define(tenantId, 'known', 'v');
  const { resolver } = observed();
  const created = await resolver.autoCreate(tenantId, 'player', [
    { eventKey: 'new', eventValue: null },
    { eventKey: 'new', eventValue: 'v' },
    { eventKey: 'new', eventValue: 'v' },
    { eventKey: 'known', eventValue: 'v' },
  ]);
  assert.equal(created.size, 3);
  assert.equal(created.get(pairKey('known', 'v'))?.id, existing);
  const fresh = created.get(pairKey('new', 'v'))!;
  const { eventKey, eventValue, eventScope, isActive } = fresh;
  assert.deepEqual([eventKey, eventValue, eventScope, isActive], ['new', 'v', 'player', true]);
  const { rows } = await app.owner.query(
    `SELECT target_id, actor_kind, details FROM audit_records WHERE tenant_id = $1 AND action = 'event_definition.auto_created'`,
    [tenantId],
  );
  assert.equal(rows.length, 2);
  const record = rows.find((row) => row.target_id === fresh.id);
  assert.equal(record.actor_kind, 'system');
  assert.equal(record.details.source, 'auto_create');

  const found = await resolver.resolve(tenantId, { ids: [fresh.id], pairs: [] });
  assert.equal(found.byId.get(fresh.id)?.eventKey, 'new');
});

test('many batches that create the same pairs at once make each one once, and none fails', async () => {
  const { tenantId } = await arrangeTenant(app);
  const { resolver } = observed();
  const BATCHES = 12;
  // All of them have their connection, so that they truly meet.
  await Promise.all(Array.from({ length: BATCHES }, () => resolver.autoCreate(tenantId, 'match', [])));
  for (let round = 0; round < 3; round++) {
    const pairs = Array.from({ length: 1000 }, (_, index) => ({
      eventKey: `key ${round} ${index % 50}`,
      eventValue: index % 3 === 0 ? null : `value ${index}`,
    }));
    const distinct = new Set(pairs.map((pair) => pairKey(pair.eventKey, pair.eventValue)));
    const batches = await Promise.all(
      Array.from({ length: BATCHES }, (_, batch) =>
        resolver.autoCreate(tenantId, 'match', batch % 2 === 0 ? pairs : pairs.toReversed()),
      ),
    );
    const [first, ...others] = batches.map((batch) =>
      [...batch].map(([key, { id }]) => `${key} ${id}`).toSorted(),
    );
    assert.equal(first?.length, distinct.size);
    for (const other of others) assert.deepEqual(other, first);
    const { rows } = await app.owner.query(
      `SELECT (SELECT count(*)::int FROM event_definitions WHERE tenant_id = $1 AND event_key LIKE $2) AS definitions,
              (SELECT count(*)::int FROM audit_records WHERE tenant_id = $1 AND details -> 'after' ->> 'eventKey' LIKE $2) AS records`,
      [tenantId, `key ${round} %`],
    );
    assert.deepEqual(rows, [{ definitions: distinct.size, records: distinct.size }]);
  }
});

test('the auto-create setting is off by default, and a change of it is told to every process', async () => {
  const { tenantId } = await arrangeTenant(app);
  const { resolver } = observed();
  assert.equal(await resolver.isAutoCreateOn(tenantId), false);
  await app.owner.query('UPDATE tenants SET auto_create_definitions = true WHERE id = $1', [tenantId]);
  await until(() => resolver.isAutoCreateOn(tenantId));
  assert.equal(await resolver.isAutoCreateOn(randomUUID()), false, 'an unknown tenant');
});
