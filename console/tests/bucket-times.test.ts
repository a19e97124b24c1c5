import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
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
