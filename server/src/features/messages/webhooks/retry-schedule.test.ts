import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitAfter } from './retry-schedule.ts';

const within = (wait: number | undefined, least: number) =>
  assert.ok(wait !== undefined && wait >= least && wait <= least * 1.2, `${wait} s instead of ${least}`);

test('the waits are those that are documented, up to a fifth longer, and not all the same', () => {
  const documented = [5, 300, 1800, 7200, 18_000, 36_000, 36_000];
  for (const [index, wait] of documented.entries()) within(waitAfter(index + 1, undefined), wait);
  assert.equal(waitAfter(documented.length + 1, '5'), undefined);
  assert.equal(new Set(Array.from({ length: 20 }, () => waitAfter(1, undefined))).size, 20);
});

test('a longer pause is granted where it is asked for, a shorter one is not', () => {
  within(waitAfter(1, '100'), 100);
  within(waitAfter(1, ' 100 '), 100);
  within(waitAfter(2, '100'), 300);
  within(waitAfter(1, '86401'), 86_400);
  within(waitAfter(1, '9'.repeat(400)), 86_400);
  const inAnHour = waitAfter(1, new Date(Date.now() + 3_600_000).toUTCString());
  assert.ok(inAnHour && inAnHour > 3_590 && inAnHour < 3_600 * 1.2, `${inAnHour}`);
  within(waitAfter(1, new Date(Date.now() - 3_600_000).toUTCString()), 5);
});

test('what is neither a number of seconds nor a date is as if it were not there', () => {
  for (const text of ['', 'soon', '-1', '1.5', '1e9', '0x100', '2030-01-01', 'Sun, nonsense'])
    within(waitAfter(1, text), 5);
});
