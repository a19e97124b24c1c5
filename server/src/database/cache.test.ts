import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChangeFeed } from './change-feed.ts';
import { createCache } from './cache.ts';

interface Item {
  version: number;
  owner: string;
}

/** Creates a cache of two items, and a function that notifies it of a change. */
function arrange(max = 10) {
  let notify: (id: string | undefined) => void = () => {};
  const changes: ChangeFeed = { on: (_table, invalidate) => (notify = invalidate), close: async () => {} };
  const cache = createCache<Item>({
    name: 'test',
    changes,
    tables: ['tenants'],
    max,
    idsOf: ({ owner }, key) => [owner, key],
  });
  const versions: Record<string, number> = { a: 0, b: 0 };
  let loads = 0;
  return {
    cache,
    change(key: string, id: string | undefined = key) {
      versions[key]!++;
      notify(id);
    },
    notify: (id: string | undefined) => notify(id),
    loads: () => loads,
    /** Reads the version of an item. `meanwhile` runs while the database responds. */
    async read(key: string, meanwhile = () => {}) {
      const item = await cache.get(key, async () => {
        loads++;
        const value = { version: versions[key]!, owner: `owner of ${key}` };
        meanwhile();
        return value;
      });
      return item?.version;
    },
  };
}

describe('createCache', () => {
  test('loads a value once until it changes', async () => {
    const { change, loads, read } = arrange();
    assert.deepEqual([await read('a'), await read('a'), loads()], [0, 0, 1]);
    change('a');
    assert.deepEqual([await read('a'), loads()], [1, 2]);
  });

  test('invalidates only the values that depend on the changed row', async () => {
    const { cache, change, loads, read } = arrange();
    await read('a');
    await read('b');
    change('a', 'owner of a');
    assert.deepEqual([await read('b'), loads()], [0, 2]);
    assert.deepEqual([await read('a'), loads()], [1, 3]);
    cache.invalidate('owner of b');
    assert.deepEqual([await read('a'), loads()], [1, 3]);
    assert.deepEqual([await read('b'), loads()], [0, 4]);
  });

  test('invalidates all values when changes may have been missed', async () => {
    const { notify, loads, read } = arrange();
    await read('a');
    await read('b');
    notify(undefined);
    await read('a');
    await read('b');
    assert.equal(loads(), 4);
  });

  for (const id of ['a', 'owner of a', undefined])
    test(`returns, but does not cache, a value when ${id ?? 'everything'} changes while it is loaded`, async () => {
      const { change, read } = arrange();
      assert.equal(await read('a', () => change('a', id)), 0);
      assert.equal(await read('a'), 1);
    });

  test('caches a value when another row changes while it is loaded', async () => {
    const { change, loads, read } = arrange();
    await read('a', () => change('b'));
    assert.deepEqual([await read('a'), loads()], [0, 1]);
  });

  test('invalidates a value that replaced another one, or was loaded again after its eviction', async () => {
    const { change, loads, read } = arrange(1);
    await Promise.all([read('a'), read('a')]);
    change('a', 'owner of a');
    assert.deepEqual([await read('a'), await read('b'), await read('a'), loads()], [1, 0, 1, 5]);
    change('a', 'owner of a');
    assert.equal(await read('a'), 2);
  });

  test('does not cache missing values', async () => {
    const { cache } = arrange();
    assert.equal(await cache.get('other', async () => undefined), undefined);
    assert.deepEqual(await cache.get('other', async () => ({ version: 7, owner: 'x' })), {
      version: 7,
      owner: 'x',
    });
  });

  test('does not cache a value after a load that failed', async () => {
    const { cache, read } = arrange();
    await assert.rejects(cache.get('a', () => Promise.reject(new Error('The database is away.'))));
    assert.equal(await read('a'), 0);
  });
});
