import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeFeed } from './change-feed.ts';
import { createCache } from './cache.ts';

/** A cache of one table, and what tells it of a change. */
function arrange() {
  let tell: (id: string | undefined) => void = () => {};
  const changes: ChangeFeed = { on: (_table, forget) => (tell = forget), close: async () => {} };
  const known = createCache<{ version: number }>(changes, ['tenants'], 10);
  let version = 0;
  let loads = 0;
  return {
    change: () => {
      version++;
      tell(undefined);
    },
    loads: () => loads,
    /** Reads; `meanwhile` happens while the database answers. */
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

test('a value is read once, until it changes', async () => {
  const { change, loads, read } = arrange();
  assert.deepEqual([await read(), await read(), loads()], [{ version: 0 }, { version: 0 }, 1]);
  change();
  assert.deepEqual([await read(), loads()], [{ version: 1 }, 2]);
});

test('a value that changes while it is read is given, but not remembered', async () => {
  const { change, read } = arrange();
  assert.deepEqual(await read(change), { version: 0 });
  assert.deepEqual(await read(), { version: 1 });
});

test('what does not exist is asked for each time', async () => {
  const { known } = arrange();
  assert.equal(await known.get('other', async () => undefined), undefined);
  assert.deepEqual(await known.get('other', async () => ({ version: 7 })), { version: 7 });
});
