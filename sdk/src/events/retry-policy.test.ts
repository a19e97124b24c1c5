import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GuildhallError } from '../core/errors.ts';
import { createRetryPolicy } from './retry-policy.ts';

const backOff = { firstMs: 1_000, longestMs: 60_000 };

/** The pauses of a hundred players after the same failure. */
function pausesOf(problem: { code: string; status: number; retryAfter?: number }): number[] {
  const error = new GuildhallError(problem);
  return Array.from({ length: 100 }, () => createRetryPolicy(backOff).failed(error, 10, 10)!.milliseconds);
}

function assertBetween(values: number[], least: number, most: number): void {
  const range = [Math.min(...values), Math.max(...values)] as const;
  assert.ok(range[0] >= least && range[1] <= most, `${range.join(' to ')} ms`);
}

describe('the retry policy', () => {
  test('spreads the retries of players after a Retry-After', () => {
    const pauses = pausesOf({ code: 'rate_limited', status: 429, retryAfter: 60 });
    assertBetween(pauses, 60_000, 90_000);
    assert.ok(new Set(pauses.map((pause) => Math.round(pause / 1_000))).size > 10);
  });

  test('waits for at most 3 minutes, however long Retry-After is', () => {
    for (const [code, status] of [
      ['rate_limited', 429],
      ['unavailable', 503],
    ] as const)
      assertBetween(pausesOf({ code, status, retryAfter: 3_600 }), 120_000, 180_000);
  });

  test('tries a plan that is used up again after a minute, because an operator may enlarge it', () => {
    assertBetween(pausesOf({ code: 'quota_exceeded', status: 429, retryAfter: 2_000_000 }), 60_000, 90_000);
  });

  test('doubles the pauses up to the longest, and begins with the shortest again after a success', () => {
    const policy = createRetryPolicy(backOff);
    const fail = () =>
      policy.failed(new GuildhallError({ code: 'network_error', status: 0 }), 10, 10)!.milliseconds;
    for (const expected of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
      assertBetween([fail()], expected / 2, expected);
    policy.succeeded();
    assertBetween([fail()], 500, 1_000);
  });

  test('sends as many events as units are left, but only once without a success', () => {
    const policy = createRetryPolicy(backOff);
    const period = { periodStart: '2026-11-01T00:00:00Z', periodEnd: '2026-12-01T00:00:00Z' };
    const quota = { limit: 100, used: 96, ...period };
    const error = new GuildhallError({ code: 'quota_exceeded', status: 429, quota });
    assert.equal(policy.failed(error, 10, 10), undefined);
    assert.equal(policy.mostEvents, 4);
    assert.equal(policy.failed(error, 10, 10)?.reason, 'quota');
    assert.equal(policy.mostEvents, Infinity);
    assert.equal(policy.failed(error, 10, 10), undefined);
    policy.succeeded();
    assert.equal(policy.mostEvents, Infinity, 'the plan may have been enlarged');
  });

  test('halves the batch after a timeout, down to one event, until a success', () => {
    const policy = createRetryPolicy(backOff);
    const error = new GuildhallError({ code: 'timeout', status: 0 });
    for (const [sent, most] of [
      [500, 250],
      [3, 1],
      [1, 1],
    ] as const) {
      assert.equal(policy.failed(error, sent, 500)?.reason, 'network');
      assert.equal(policy.mostEvents, most);
    }
    policy.succeeded();
    assert.equal(policy.mostEvents, Infinity);
  });

  test('names the reason for which the queue waits', () => {
    for (const [code, status, reason] of [
      ['invalid_token', 401, 'session'],
      ['invalid_game_key', 401, 'server'],
      ['unexpected_answer', 401, 'server'],
      ['player_banned', 403, 'server'],
      ['rate_limited', 429, 'rate_limit'],
      ['unavailable', 503, 'server'],
      ['timeout', 0, 'network'],
    ] as const) {
      const pause = createRetryPolicy(backOff).failed(new GuildhallError({ code, status }), 10, 10);
      assert.equal(pause?.reason, reason, code);
    }
  });
});
