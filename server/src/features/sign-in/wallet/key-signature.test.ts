import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { someWallet } from '../../../testing/wallets.ts';
import { isSignedByKey } from './key-signature.ts';

const RECOVERIES = 10;

const wallet = someWallet();
const message = { address: wallet.address, message: 'Sign in to a game.' };
const signature = await wallet.signMessage(message);
// Loads the library.
assert.equal(await isSignedByKey('a', message, signature), true);

describe('isSignedByKey', () => {
  test('recovers one key at a time, and passes turns of the event loop between them', async () => {
    let turns = 0;
    let isOver = false;
    const count = (async () => {
      for (; !isOver; turns++) await nextTurn();
    })();
    const all = Array.from({ length: RECOVERIES }, () => isSignedByKey('a', message, signature));
    assert.deepEqual(await Promise.all(all), Array(RECOVERIES).fill(true));
    isOver = true;
    await count;
    assert.ok(turns >= RECOVERIES, `${turns} turns passed`);
  });

  test('recovers keys for waiting tenants in turn', async () => {
    const order: string[] = [];
    const recover = (tenantId: string) =>
      isSignedByKey(tenantId, message, signature).then(() => order.push(tenantId));
    await Promise.all([...Array.from({ length: RECOVERIES }, () => recover('noisy')), recover('quiet')]);
    assert.ok(order.indexOf('quiet') <= 2, order.join(', '));
  });
});
