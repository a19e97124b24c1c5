import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPlayers } from './players.ts';
import { createRandom } from './random.ts';
import { eveningCurve } from './simulate.ts';

describe('createRandom', () => {
  test('repeats its sequence for a seed', () => {
    const draw = (seed: string) => {
      const random = createRandom(seed);
      return Array.from({ length: 20 }, () => random.integer(0, 999));
    };
    assert.deepEqual(draw('a'), draw('a'));
    assert.notDeepEqual(draw('a'), draw('b'));
  });

  test('draws every integer of a range, its ends included', () => {
    const random = createRandom('range');
    const drawn = new Set(Array.from({ length: 200 }, () => random.integer(3, 6)));
    assert.deepEqual([...drawn].toSorted(), [3, 4, 5, 6]);
  });
});

describe('createPlayers', () => {
  test('creates the same players for a seed, and keeps them in a larger group', () => {
    assert.deepEqual(createPlayers('1', 20).slice(0, 5), createPlayers('1', 5));
    assert.notDeepEqual(createPlayers('2', 5), createPlayers('1', 5));
  });

  test('creates distinct players of both providers on several platforms', () => {
    const players = createPlayers('1', 200);
    assert.equal(new Set(players.map(({ username }) => username)).size, 200);
    assert.equal(new Set(players.map(({ secret }) => secret)).size, 200);
    assert.deepEqual(new Set(players.map(({ provider }) => provider)), new Set(['Mock', 'EvmWallet']));
    assert.ok(new Set(players.map(({ origin }) => JSON.stringify(origin.clientInfo))).size > 10);
  });
});

describe('eveningCurve', () => {
  test('begins low, is highest after 70 % of the time, and ends between', () => {
    const [start, top, end] = [eveningCurve(0), eveningCurve(0.7), eveningCurve(1)];
    assert.equal(top, 1);
    assert.ok(start < 0.31 && start < end && end < 0.6);
  });
});
