import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bucketsOf, isInterval, limitsOf, type Interval } from '../src/components/range.ts';
import { bucketTimes } from '../src/pages/events/bucket-times.ts';

const times = (from: string, to: string): string[] =>
  bucketTimes({ bucket: 'hour', from: `2026-07-28T${from}Z`, to: `2026-07-28T${to}Z` }).map((time) =>
    new Date(time * 1000).toISOString().slice(11, 16),
  );

describe('the times of a chart', () => {
  test('begin with the first whole bucket, and end with the one that still counts', () => {
    assert.deepEqual(times('09:30:00.000000', '12:30:00.000000'), ['10:00', '11:00', '12:00']);
    assert.deepEqual(times('09:00:00.000000', '12:00:00.000000'), ['09:00', '10:00', '11:00']);
  });
});

describe('an interval of the URL', () => {
  test('limits a list if it has two times with a zone, of which the second is later', () => {
    assert.deepEqual(limitsOf('2026-07-28T09:30Z/2026-07-28T12:30:15.5+02:00'), {
      from: '2026-07-28T09:30:00.000Z',
      to: '2026-07-28T10:30:15.500Z',
    });
    for (const text of [
      '',
      'between',
      '2026-07-28T09:30Z',
      '2026-07-28T09:30Z/',
      '2026-07-28/2026-07-29',
      '2026-07-28T09:30/2026-07-29T09:30',
      '2026-07-28T09:30Z/2026-07-28T09:30Z',
      '2026-07-28T09:30Z/2026-13-28T09:30Z',
      '2026-07-28T09:30Z/2026-07-28T10:30Z/2026-07-28T11:30Z',
    ]) {
      assert.equal(isInterval(text), false, text);
      assert.deepEqual(limitsOf(text), {}, text);
    }
  });

  test('has whole buckets that are longer if it is longer, and none after now', () => {
    const buckets = (interval: Interval) => {
      const { from, to, bucket } = bucketsOf(interval);
      return `${bucket} ${from.slice(0, 16)} ${to.slice(0, 16)}`;
    };
    assert.equal(
      buckets('2026-07-01T09:30:40Z/2026-07-01T10:30Z'),
      'minute 2026-07-01T09:30 2026-07-01T10:30',
    );
    assert.equal(buckets('2026-07-01T09:30Z/2026-07-02T09:30Z'), 'hour 2026-07-01T09:00 2026-07-02T10:00');
    assert.equal(buckets('2026-07-01T09:30Z/2026-07-21T09:30Z'), 'day 2026-07-01T00:00 2026-07-22T00:00');
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    const { to } = bucketsOf(`${yesterday}/2999-01-01T00:00Z`);
    assert.ok(Date.parse(to) <= Date.now() + 60_000, to);
  });
});
