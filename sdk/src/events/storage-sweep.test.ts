import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EventStore } from './event-store.ts';
import { ownerOf } from './owners.ts';
import { createStorageSweep } from './storage-sweep.ts';

const ada = { playerId: 'ada', tenantId: 'game', sessionId: '1' };
const NOW = 1_000_000_000;

/** A sweep at a fixed time, and what it asks of the storage. */
function arrange() {
  const calls: unknown[][] = [];
  const state = { isDown: false, isLearnt: true as boolean | Promise<boolean>, answer: () => {} };
  const store = {
    unloadOthers: (owners: ReadonlySet<string>) => void calls.push(['unload others', ...owners]),
    removeOlderThan: async (time: number, owners: ReadonlySet<string>) => {
      if (state.isDown) throw new Error('The storage does not answer.');
      calls.push(['remove', time - NOW, ...owners]);
      return [];
    },
    adopt: async (owners: ReadonlySet<string>, before: number, mostBytes: number) => {
      if (state.isDown) throw new Error('The storage does not answer.');
      calls.push(['adopt', before - NOW, mostBytes, ...owners]);
    },
  } as unknown as EventStore;
  const owners = {
    of: () => new Set([ownerOf(ada)]),
    learn: async () => state.isLearnt,
    reset: () => void calls.push(['reset']),
  };
  const options = { maxAgeMs: 5_000, maxBytes: 600, adoptAfterMs: 30, onTooOld: () => {} };
  const sweep = createStorageSweep(store, owners, options);
  /** The calls since the last look. */
  const look = async (who?: typeof ada) => {
    await sweep.look(who);
    return calls.splice(0);
  };
  return { sweep, look, state };
}

describe('a look into the storage', () => {
  test('takes over all events at first, and later those that wait for some time', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: NOW });
    const { sweep, look } = arrange();
    const before = [
      ['unload others', 'game/ada'],
      ['remove', -5_000, 'game/ada'],
    ];
    assert.deepEqual(await look(ada), [...before, ['adopt', Infinity, 600, 'game/ada']]);
    assert.deepEqual(await look(ada), [], 'none is due');
    sweep.schedule();
    assert.deepEqual(await look(ada), [...before, ['adopt', -30, 600, 'game/ada']]);
    sweep.reset();
    assert.deepEqual(await look(ada), [['reset'], ...before, ['adopt', Infinity, 600, 'game/ada']]);
  });

  test('takes over all events after a sign-in during a look', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: NOW });
    const { sweep, look, state } = arrange();
    await look(ada);
    sweep.schedule();
    state.isLearnt = new Promise((resolve) => (state.answer = () => resolve(true)));
    const interrupted = look(ada);
    sweep.reset();
    state.answer();
    await interrupted;
    assert.deepEqual((await look(ada)).at(-1), ['adopt', Infinity, 600, 'game/ada']);
  });

  test('removes old events also if nobody is signed in', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: NOW });
    const { look } = arrange();
    assert.deepEqual(await look(), [['remove', -5_000]]);
  });

  test('removes no event before the server named the merged profiles', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: NOW });
    const { look, state } = arrange();
    state.isLearnt = false;
    assert.deepEqual(await look(ada), [
      ['unload others', 'game/ada'],
      ['adopt', Infinity, 600, 'game/ada'],
    ]);
  });

  test('waits for the next schedule if the storage does not answer, and takes over all events then', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: NOW });
    const { sweep, look, state } = arrange();
    state.isDown = true;
    assert.deepEqual(await look(ada), [['unload others', 'game/ada']]);
    state.isDown = false;
    assert.deepEqual(await look(ada), []);
    sweep.schedule();
    assert.deepEqual((await look(ada)).at(-1), ['adopt', Infinity, 600, 'game/ada']);
  });
});
