import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '../../../database/database.ts';
import { ReadOnlyError } from '../../../database/errors.ts';
import { createDatabaseCheck } from './check-database.ts';

/** A check of a database that answers when the test says so. */
function arrange() {
  let time = 0;
  const transactions: PromiseWithResolvers<void>[] = [];
  const transaction = () => {
    const opened = Promise.withResolvers<void>();
    transactions.push(opened);
    return opened.promise;
  };
  const check = createDatabaseCheck({ transaction } as unknown as Database, () => time);
  return { check, transactions, pass: (ms: number) => (time += ms) };
}

describe('createDatabaseCheck', () => {
  test('shares a running check between the callers within 250 ms', async () => {
    const { check, transactions, pass } = arrange();
    const first = check();
    pass(249);
    const joined = check();
    pass(1);
    const second = check();
    assert.equal(transactions.length, 2);
    transactions[0]!.reject(new Error('The connection was closed.'));
    transactions[1]!.resolve();
    for (const failed of [first, joined]) await assert.rejects(failed, { code: 'unavailable' });
    await second;
  });

  test('keeps a result until 250 ms after its check began', async () => {
    const { check, transactions, pass } = arrange();
    const [first, repeated] = [check(), check()];
    transactions[0]!.resolve();
    await Promise.all([first, repeated, check()]);
    assert.equal(transactions.length, 1);
    pass(250);
    const next = check();
    transactions[1]!.reject(new ReadOnlyError());
    await assert.rejects(next, { code: 'unavailable' });
    await assert.rejects(check(), { code: 'unavailable' });
    assert.equal(transactions.length, 2);
  });
});
