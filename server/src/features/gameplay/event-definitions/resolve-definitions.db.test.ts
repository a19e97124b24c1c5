import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { openChangeFeed } from '../../../database/change-feed.ts';
import { openDatabase, type Database } from '../../../database/database.ts';
import { arrangeTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { pairKey } from './definition.ts';
import { createDefinitionCache } from './definition-cache.ts';
import { createDefinitionResolver } from './resolve-definitions.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl);
const changes = await openChangeFeed(app.databaseUrl, { info: () => {} });
after(async () => {
  await changes.close();
  await database.close();
});

/** Creates a resolver whose queries are counted, with a hook that runs before each result is returned. */
function createObservedResolver() {
  const seen = { queries: 0, beforeResult: async () => {} };
  const watching: Database = {
    ...database,
    forTenant(tenantId) {
      const scope = database.forTenant(tenantId);
      return {
        ...scope,
        async rows(statement) {
          seen.queries++;
          const rows = await scope.rows(statement);
          await seen.beforeResult();
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

describe('DefinitionResolver.resolve', () => {
  test('finds definitions by ID and pair with one query, then from the cache', async () => {
    const { tenantId } = await arrangeTenant(app);
    const [kill, sword, bare] = await Promise.all([
      define(tenantId, 'kill', 'orc'),
      define(tenantId, 'loot', 'sword'),
      define(tenantId, 'loot'),
    ]);
    const { seen, resolver } = createObservedResolver();
    const wanted = {
      ids: [kill],
      pairs: [
        { eventKey: 'loot', eventValue: 'sword' },
        { eventKey: 'loot', eventValue: null },
      ],
    };
    const found = await resolver.resolve(tenantId, wanted);
    assert.equal(found.byId.get(kill)?.eventValue, 'orc');
    assert.equal(found.byPair.get(pairKey({ eventKey: 'loot', eventValue: 'sword' }))?.id, sword);
    assert.deepEqual(found.byPair.get(pairKey({ eventKey: 'loot', eventValue: null })), {
      id: bare,
      eventKey: 'loot',
      eventValue: null,
      eventScope: 'match',
      isActive: true,
    });
    assert.equal(seen.queries, 1);

    // The change feed may still report the inserts above and cause one more query.
    await eventually(async () => {
      const before = seen.queries;
      const again = await resolver.resolve(tenantId, wanted);
      assert.equal(again.byPair.get(pairKey({ eventKey: 'loot', eventValue: 'sword' }))?.id, sword);
      return seen.queries === before;
    });
  });

  test('queries missing definitions again', async () => {
    const { tenantId } = await arrangeTenant(app);
    const { resolver } = createObservedResolver();
    const wanted = { ids: [randomUUID()], pairs: [{ eventKey: 'late', eventValue: 'x' }] };
    const key = pairKey({ eventKey: 'late', eventValue: 'x' });
    assert.equal((await resolver.resolve(tenantId, wanted)).byPair.get(key), undefined);
    const id = await define(tenantId, 'late', 'x');
    assert.equal((await resolver.resolve(tenantId, wanted)).byPair.get(key)?.id, id);
  });

  test('does not find a definition of another tenant', async () => {
    const [mine, theirs] = [await arrangeTenant(app), await arrangeTenant(app)];
    const id = await define(theirs.tenantId, 'secret');
    const { resolver } = createObservedResolver();
    const wanted = { ids: [id], pairs: [{ eventKey: 'secret', eventValue: null }] };
    const found = await resolver.resolve(mine.tenantId, wanted);
    assert.equal(found.byId.size + found.byPair.size, 0);
  });

  test('sees a change by another process', async () => {
    const { tenantId } = await arrangeTenant(app);
    const id = await define(tenantId, 'kill');
    const { resolver } = createObservedResolver();
    const isActive = async () =>
      (await resolver.resolve(tenantId, { ids: [id], pairs: [] })).byId.get(id)?.isActive;
    assert.equal(await isActive(), true);
    await app.owner.query('UPDATE event_definitions SET is_active = false WHERE id = $1', [id]);
    await eventually(async () => (await isActive()) === false);
  });

  test('does not cache a result that a change has made stale', async () => {
    const { tenantId } = await arrangeTenant(app);
    const id = await define(tenantId, 'kill');
    const { seen, resolver } = createObservedResolver();
    const read = async () =>
      (await resolver.resolve(tenantId, { ids: [id], pairs: [] })).byId.get(id)?.isActive;
    seen.beforeResult = async () => {
      await app.owner.query('UPDATE event_definitions SET is_active = false WHERE id = $1', [id]);
      resolver.invalidateDefinitions(tenantId);
    };
    assert.equal(await read(), true);
    seen.beforeResult = async () => {};
    assert.equal(await read(), false);
  });
});

describe('createDefinitionCache', () => {
  test('limits the number of definitions over all tenants', () => {
    const cache = createDefinitionCache({ on: () => {}, close: async () => {} }, 10);
    const fill = (tenantId: string, count: number) =>
      cache.add(
        tenantId,
        cache.get(tenantId),
        Array.from({ length: count }, (_, index) => definition(`${tenantId}${index}`)),
      );
    fill('a', 5);
    assert.equal(cache.get('a').byId.size, 5);
    fill('b', 5);
    assert.equal(cache.get('b').byId.size, 5);
    assert.equal(cache.get('a').byId.size, 0, 'the least recently used tenant is evicted');
    fill('c', 20);
    assert.equal(cache.get('c').byId.size, 0, 'a tenant larger than the whole cache is not kept');
  });

  test('does not replace newer definitions with those that were read before a change', () => {
    const cache = createDefinitionCache({ on: () => {}, close: async () => {} });
    const before = cache.get('a');
    cache.invalidate('a');
    const after = cache.get('a');
    cache.add('a', before, [definition('kill')]);
    assert.equal(cache.get('a'), after);
  });
});

describe('DefinitionResolver.autoCreate', () => {
  test('creates definitions with the scope of the event and one audit record each', async () => {
    const { tenantId } = await arrangeTenant(app);
    const existing = await define(tenantId, 'known', 'v');
    const { resolver } = createObservedResolver();
    const created = await resolver.autoCreate(tenantId, 'player', [
      { eventKey: 'new', eventValue: null },
      { eventKey: 'new', eventValue: 'v' },
      { eventKey: 'new', eventValue: 'v' },
      { eventKey: 'known', eventValue: 'v' },
    ]);
    assert.equal(created.size, 3);
    assert.equal(created.get(pairKey({ eventKey: 'known', eventValue: 'v' }))?.id, existing);
    const fresh = created.get(pairKey({ eventKey: 'new', eventValue: 'v' }))!;
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

  test('creates each pair once when batches run at the same time', async () => {
    const { tenantId } = await arrangeTenant(app);
    const { resolver } = createObservedResolver();
    const BATCHES = 12;
    // Opens a connection for each batch first, so that the batches overlap.
    await Promise.all(Array.from({ length: BATCHES }, () => resolver.autoCreate(tenantId, 'match', [])));
    for (let round = 0; round < 3; round++) {
      const pairs = Array.from({ length: 1000 }, (_, index) => ({
        eventKey: `key ${round} ${index % 50}`,
        eventValue: index % 3 === 0 ? null : `value ${index}`,
      }));
      const distinct = new Set(pairs.map((pair) => pairKey(pair)));
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
});

describe('DefinitionResolver.isAutoCreateOn', () => {
  test('is off by default and sees a change by another process', async () => {
    const { tenantId } = await arrangeTenant(app);
    const { resolver } = createObservedResolver();
    assert.equal(await resolver.isAutoCreateOn(tenantId), false);
    await app.owner.query('UPDATE tenants SET auto_create_definitions = true WHERE id = $1', [tenantId]);
    await eventually(() => resolver.isAutoCreateOn(tenantId));
    assert.equal(await resolver.isAutoCreateOn(randomUUID()), false, 'an unknown tenant');
  });
});
