import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '../../../database/database.ts';
import { createDatabaseCheck } from './check-database.ts';

/** A check of a database that answers when the test says so. */
function arrange() {
  let time = 0;
  const queries: PromiseWithResolvers<{ isReadOnly: boolean }>[] = [];
  const row = () => {
    const query = Promise.withResolvers<{ isReadOnly: boolean }>();
    queries.push(query);
    return query.promise;
  };
  const check = createDatabaseCheck({ row } as unknown as Database, () => time);
  return { check, queries, pass: (ms: number) => (time += ms) };
}

describe('createDatabaseCheck', () => {
  test('shares a running check between the callers within 250 ms', async () => {
    const { check, queries, pass } = arrange();
    const first = check();
    pass(249);
    const joined = check();
    pass(1);
    const second = check();
    assert.equal(queries.length, 2);
    queries[0]!.reject(new Error('The connection was closed.'));
    queries[1]!.resolve({ isReadOnly: false });
    for (const failed of [first, joined]) await assert.rejects(failed, { code: 'unavailable' });
    await second;
  });

  test('keeps a result until 250 ms after its check began', async () => {
    const { check, queries, pass } = arrange();
    const [first, repeated] = [check(), check()];
    queries[0]!.resolve({ isReadOnly: false });
    await Promise.all([first, repeated, check()]);
    assert.equal(queries.length, 1);
    pass(250);
    const next = check();
    queries[1]!.resolve({ isReadOnly: true });
    await assert.rejects(next, { code: 'unavailable' });
    await assert.rejects(check(), { code: 'unavailable' });
    assert.equal(queries.length, 2);
  });
});
