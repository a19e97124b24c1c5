import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChangeFeed } from './change-feed.ts';
import { createCache } from './cache.ts';

/** Creates a cache of one table, and a function that notifies it of a change. */
function arrange() {
  let notify: (id: string | undefined) => void = () => {};
  const changes: ChangeFeed = { on: (_table, forget) => (notify = forget), close: async () => {} };
  const known = createCache<{ version: number }>('test', changes, ['tenants'], 10);
  let version = 0;
  let loads = 0;
  return {
    change: () => {
      version++;
      notify(undefined);
    },
    loads: () => loads,
    /** Reads the value. `meanwhile` runs while the database responds. */
    read: (meanwhile = () => {}) =>
      known.get('key', async () => {
        loads++;
        const value = { version };
        meanwhile();
        return value;
      }),
    known,
  };
}

describe('createCache', () => {
  test('loads a value once until it changes', async () => {
    const { change, loads, read } = arrange();
    assert.deepEqual([await read(), await read(), loads()], [{ version: 0 }, { version: 0 }, 1]);
    change();
    assert.deepEqual([await read(), loads()], [{ version: 1 }, 2]);
  });

  test('returns, but does not cache, a value that changes while it is loaded', async () => {
    const { change, read } = arrange();
    assert.deepEqual(await read(change), { version: 0 });
    assert.deepEqual(await read(), { version: 1 });
  });

  test('does not cache missing values', async () => {
    const { known } = arrange();
    assert.equal(await known.get('other', async () => undefined), undefined);
    assert.deepEqual(await known.get('other', async () => ({ version: 7 })), { version: 7 });
  });
});
