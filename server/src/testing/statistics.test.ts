import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRandom } from '../simulation/random.ts';
import { growthByThirds, quantile, slopeOf, type Sample } from './statistics.ts';

const MIB = 1024 * 1024;

/** The memory of twenty minutes: a sawtooth of 30 MiB with noise, with an optional leak in bytes a second. */
function memoryOf(leak: number): Sample[] {
  const random = createRandom('memory');
  return Array.from({ length: 1200 }, (_, at) => ({
    at,
    value: 250 * MIB + (at % 45) * (MIB * 0.7) + random.fraction() * 4 * MIB + leak * at,
  }));
}

describe('slopeOf', () => {
  test('finds no growth in a sawtooth with noise', () => {
    const { estimate, least, most } = slopeOf(memoryOf(0));
    assert.ok(least < 0 && most > 0, `${least} to ${most}`);
    assert.ok(Math.abs(estimate) < 1000, String(estimate));
  });

  test('finds a leak of one small object for each of 1,000 operations a second', () => {
    const { least, most } = slopeOf(memoryOf(24_000));
    assert.ok(least > 20_000 && most < 28_000, `${least} to ${most}`);
  });

  test('ignores some values that are far too high', () => {
    const samples = memoryOf(0).map(({ at, value }) => ({
      at,
      value: at > 1100 && at % 3 ? 9 * value : value,
    }));
    assert.ok(Math.abs(slopeOf(samples).estimate) < 1000);
  });
});

describe('growthByThirds', () => {
  test('compares the last third with the first, and ignores an outlier', () => {
    assert.equal(growthByThirds([10, 10, 900, 20, 20, 20, 30, 1, 30]), 3);
    assert.equal(growthByThirds([5, 5, 5]), 1);
  });
});

describe('quantile', () => {
  test('sorts numbers, and has no value for an empty list', () => {
    assert.equal(quantile([9, 10, 100, 1], 0.5), 10);
    assert.equal(quantile([9, 10, 100, 1], 0.99), 100);
    assert.ok(Number.isNaN(quantile([], 0.5)));
  });
});
