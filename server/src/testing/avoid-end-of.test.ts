import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { waitFor } from '../../acceptance/avoid-end-of.ts';

const monthAt = (time: string, leastMs?: number) => waitFor('month', new Date(time), leastMs);
const dayAt = (time: string) => waitFor('day', new Date(time));

describe('avoidEndOf', () => {
  test('waits until a second after the end of a period that ends within a minute', () => {
    for (const month of ['2026-12-31', '2026-11-30', '2027-02-28', '2028-02-29'])
      for (const wait of [dayAt, monthAt]) {
        assert.equal(wait(`${month}T23:59:59.999Z`), 1_001);
        assert.equal(wait(`${month}T23:59:10Z`), 51_000);
        assert.equal(wait(`${month}T23:58:00Z`), 0);
      }
    assert.equal(monthAt('2026-12-31T23:58:00Z', 180_000), 121_000);
  });

  test('waits for the clock of PostgreSQL in the first second of a period', () => {
    for (const wait of [dayAt, monthAt]) assert.equal(wait('2027-01-01T00:00:00.250Z'), 750);
    assert.equal(monthAt('2027-01-01T00:00:01Z'), 0);
  });

  test('waits at the end of no other day for a month', () => {
    for (const day of ['2028-02-28', '2026-12-30']) {
      assert.equal(monthAt(`${day}T23:59:59Z`), 0);
      assert.equal(dayAt(`${day}T23:59:59Z`), 2_000);
    }
  });
});
