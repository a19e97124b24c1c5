import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Send } from '../core/http.ts';
import { createOwners, ownerOf } from './owners.ts';

const ada = { playerId: 'ada', tenantId: 'game', sessionId: '1' };
const grace = { playerId: 'grace', tenantId: 'game', sessionId: '2' };
const DAY_MS = 86_400_000;

/** Owners on a device where events of a merged profile wait. The server says that it was merged into each player who asks. */
function arrange() {
  const asked: (string | undefined)[] = [];
  const send: Send = async (_method, _path, options) => {
    asked.push(options?.playerId);
    return { mergedProfileIds: ['merged'] };
  };
  const merged = ownerOf({ ...ada, playerId: 'merged' });
  const owners = createOwners(send, { owners: async () => new Set([merged]) });
  return { owners, asked, merged };
}

describe('the owners whose events a session may send', () => {
  test('are the player, and the merged profiles that the server names', async () => {
    const { owners, asked, merged } = arrange();
    assert.deepEqual([...owners.of(ada)], [ownerOf(ada)]);
    assert.equal(await owners.learn(ada), true);
    assert.deepEqual([...owners.of(ada)], [ownerOf(ada), merged]);
    assert.deepEqual(asked, ['ada'], 'a request of this player only');
  });

  test('are those of the present player, even if the answer for another one arrives late', async () => {
    const { owners, asked, merged } = arrange();
    await owners.learn(ada);
    assert.deepEqual([...owners.of(grace)], [ownerOf(grace)]);
    await owners.learn(grace);
    assert.deepEqual([...owners.of(grace)], [ownerOf(grace), merged]);
    assert.deepEqual(asked, ['ada', 'grace']);
  });

  test('are asked for again after 5 minutes, after a change of the clock and after a reset', async (context) => {
    const start = Date.now();
    context.mock.timers.enable({ apis: ['Date'], now: start });
    const { owners, asked } = arrange();
    const count = async () => {
      await owners.learn(ada);
      return asked.length;
    };
    assert.equal(await count(), 1);
    context.mock.timers.setTime(start + 5 * 60_000 - 1);
    assert.equal(await count(), 1);
    context.mock.timers.setTime(start + 5 * 60_000);
    assert.equal(await count(), 2);
    context.mock.timers.setTime(start - DAY_MS);
    assert.equal(await count(), 3);
    owners.reset();
    assert.equal(await count(), 4);
  });
});
