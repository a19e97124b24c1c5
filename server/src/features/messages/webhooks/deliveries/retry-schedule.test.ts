import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { retryDelay } from './retry-schedule.ts';

const within = (wait: number | undefined, least: number) =>
  assert.ok(wait !== undefined && wait >= least && wait <= least * 1.2, `${wait} s instead of ${least}`);

describe('retryDelay', () => {
  test('returns the documented delays with up to 20 % jitter', () => {
    const documented = [5, 300, 1800, 7200, 18_000, 36_000, 36_000];
    for (const [index, wait] of documented.entries()) within(retryDelay(index + 1, undefined), wait);
    assert.equal(retryDelay(documented.length + 1, '5'), undefined);
    assert.equal(new Set(Array.from({ length: 20 }, () => retryDelay(1, undefined))).size, 20);
  });

  test('uses a longer Retry-After, but not a shorter one', () => {
    within(retryDelay(1, '100'), 100);
    within(retryDelay(1, ' 100 '), 100);
    within(retryDelay(2, '100'), 300);
    within(retryDelay(1, '86401'), 86_400);
    within(retryDelay(1, '9'.repeat(400)), 86_400);
    const inAnHour = retryDelay(1, new Date(Date.now() + 3_600_000).toUTCString());
    assert.ok(inAnHour && inAnHour > 3_590 && inAnHour < 3_600 * 1.2, `${inAnHour}`);
    within(retryDelay(1, new Date(Date.now() - 3_600_000).toUTCString()), 5);
  });

  test('ignores an invalid Retry-After', () => {
    for (const text of ['', 'soon', '-1', '1.5', '1e9', '0x100', '2030-01-01', 'Sun, nonsense'])
      within(retryDelay(1, text), 5);
  });
});
