import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseDuration } from './durations.ts';

describe('parseDuration', () => {
  test('accepts only 0 and a whole number with a unit', () => {
    const good = { '0': 0, '0s': 0, '90s': 90, '10m': 600, '2h': 7200, '7d': 604_800 };
    for (const [text, seconds] of Object.entries(good)) assert.equal(parseDuration(text), seconds, text);
    const bad = [
      '',
      '10',
      'm',
      '-1m',
      '1.5h',
      '1h30m',
      ' 10m',
      '10 m',
      '10M',
      '1w',
      '00',
      '1e3s',
      '1234567890s',
    ];
    for (const text of bad) assert.equal(parseDuration(text), undefined, text);
  });
});
