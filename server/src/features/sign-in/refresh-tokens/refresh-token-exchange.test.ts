import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { classifyUse } from './refresh-token-exchange.ts';

describe('classifyUse', () => {
  const cases: [
    usedSecondsAgo: number | null,
    hasUnusedSuccessor: boolean,
    isAlive: boolean,
    expected: string,
  ][] = [
    [null, false, true, 'refuse'],
    [null, false, false, 'refuse'],
    [0, true, true, 'repeat'],
    [10.1, true, true, 'repeat'],
    [60, true, true, 'repeat'],
    [60.1, true, true, 'revoke'],
    [0, false, true, 'refuse'],
    [10, false, true, 'refuse'],
    [10.1, false, true, 'revoke'],
    [5, true, false, 'refuse'],
    [11, true, false, 'revoke'],
  ];
  for (const [usedSecondsAgo, hasUnusedSuccessor, isAlive, expected] of cases) {
    const use =
      usedSecondsAgo === null ? 'was never exchanged' : `was exchanged ${usedSecondsAgo} seconds ago`;
    const successor = hasUnusedSuccessor ? 'has an unused successor' : 'has no unused successor';
    const session = isAlive ? 'a live' : 'an ended';
    test(`returns ${expected} if the token of ${session} session ${use} and ${successor}`, () =>
      assert.equal(classifyUse({ isAlive, usedSecondsAgo, hasUnusedSuccessor }), expected));
  }
});
