import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  distinctNames,
  formatClockTime,
  formatRelativeTime,
  formatShare,
  shortenId,
} from '../src/components/format.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const format = (offset: number): string => formatRelativeTime(new Date(NOW + offset).toISOString(), NOW);

describe('an id', () => {
  test('shows its two ends, and an email address whole', () => {
    assert.equal(shortenId('01a22df1-945c-7742-af59-3df1923bd312'), '01a22d…3bd312');
    assert.equal(shortenId('ada.lovelace@example.com'), 'ada.lovelace@example.com');
  });
});

describe('a relative time', () => {
  test('rounds a future time, so that a ban of 7 days ends in 7 days', () => {
    assert.deepEqual([7 * DAY - SECOND, DAY - SECOND, HOUR - SECOND, 90 * SECOND, 20 * SECOND].map(format), [
      format(7 * DAY),
      format(DAY),
      format(HOUR),
      format(120 * SECOND),
      format(20 * SECOND),
    ]);
    assert.notEqual(format(7 * DAY), format(6 * DAY));
  });

  test('keeps the smaller unit until the larger one is almost reached', () => {
    assert.match(format(31 * MINUTE), /31/);
    assert.match(format(12.5 * HOUR), /13/);
    assert.match(format(16 * DAY), /16/);
    assert.match(format(183 * DAY), /6/);
  });

  test('counts whole units of a past time', () => {
    assert.equal(format(-(2 * DAY - SECOND)), format(-(DAY + SECOND)));
    assert.notEqual(format(-(2 * DAY - SECOND)), format(-2 * DAY));
    assert.equal(format(-SECOND), 'now');
  });

  test('names no calendar day, month or year, because 47 hours ago may be two days back', () => {
    assert.deepEqual([-47 * HOUR, -(2 * DAY - SECOND), -59 * DAY, -700 * DAY, DAY].map(format), [
      '1 day ago',
      '1 day ago',
      '1 mo. ago',
      '1 yr. ago',
      'in 1 day',
    ]);
  });
});

describe('a clock time', () => {
  test('has the date if it is not today, and the year if it is not this year', () => {
    const now = new Date(2026, 10, 30, 18, 50).getTime();
    const format = (...time: [number, number, number]) =>
      formatClockTime(new Date(...time, 18, 50, 1).toISOString(), now).replaceAll(/\s/g, ' ');
    assert.equal(format(2026, 10, 30), '6:50:01 PM');
    assert.equal(format(2026, 10, 29), 'Nov 29, 6:50:01 PM');
    assert.equal(format(2025, 10, 30), 'Nov 30, 2025, 6:50:01 PM');
  });
});

describe('a share in percent', () => {
  test('is 100 % only when all is used, and more above it', () => {
    assert.deepEqual(
      [0, 0.4, 9.99, 42.5, 99.9, 100, 149.9, 1_500].map((used) => formatShare(used, 100)),
      ['0.0 %', '0.4 %', '9.9 %', '42 %', '99 %', '100 %', '149 %', '1,500 %'],
    );
    assert.equal(formatShare(29, 1_000), '2.9 %');
    assert.equal(formatShare(0, 0), '100 %');
  });
});

describe('the names of records', () => {
  test('include the end of the id if several records share the name', () => {
    const [one, other, third] = ['01a21eba-1111', '01a21eba-2222', '01a21eba-3333'] as const;
    assert.deepEqual(
      [
        ...distinctNames([
          { id: one, name: 'Tidewater' },
          { id: other, name: 'Undertow' },
          { id: third, name: 'Tidewater' },
        ]),
      ],
      [
        [one, 'Tidewater · …a-1111'],
        [other, 'Undertow'],
        [third, 'Tidewater · …a-3333'],
      ],
    );
  });
});
