import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { toMicroseconds } from './timestamps.ts';

describe('toMicroseconds', () => {
  test('returns one spelling for each instant', () => {
    for (const [sent = '', stored] of [
      ['2026-11-20T21:19:00Z', '2026-11-20T21:19:00.000000Z'],
      ['2026-11-20t21:19:00.5z', '2026-11-20T21:19:00.500000Z'],
      ['2026-11-20T21:19:00.123456789Z', '2026-11-20T21:19:00.123456Z'],
      ['2026-11-20T21:19:00.999999+02:00', '2026-11-20T19:19:00.999999Z'],
      ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00.000000Z'],
      ['2026-01-01T00:30:00.25+0130', '2025-12-31T23:00:00.250000Z'],
      ['2026-01-01T00:30:00-0100', '2026-01-01T01:30:00.000000Z'],
      ['2024-02-29T23:59:59-23:59', '2024-03-01T23:58:59.000000Z'],
      ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000000Z'],
      [`2026-11-20T21:19:00.${'1'.repeat(43)}Z`, '2026-11-20T21:19:00.111111Z'],
      ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z'],
      ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
    ]) {
      assert.equal(toMicroseconds(sent), stored, sent);
    }
  });

  test('returns undefined for texts that are not an instant with an offset', () => {
    for (const text of [
      '',
      '2026-11-20',
      '2026-11-20T21:19:00',
      '2026-11-20 21:19:00Z',
      '2026-11-20T21:19Z',
      '2026-02-29T00:00:00Z',
      '1900-02-29T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-00-01T00:00:00Z',
      '2026-04-31T00:00:00Z',
      '2026-11-20T24:00:00Z',
      '2026-11-20T21:60:00Z',
      '2026-06-30T23:59:60Z',
      '2026-11-20T21:19:00+24:00',
      '2026-11-20T21:19:00+02:60',
      '2026-11-20T21:19:00+2400',
      '2026-11-20T21:19:00+0260',
      '2026-11-20T21:19:00+02',
      '2026-11-20T21:19:00+02:0',
      '2026-11-20T21:19:00+200',
      '2026-11-20T21:19:00 0200',
      '2026-11-20T21:19:00.Z',
      '0000-01-01T00:00:00Z',
      '0001-01-01T00:00:00+01:00',
      '9999-12-31T23:59:59-01:00',
      '+002026-11-20T21:19:00Z',
      '2026-11-20T21:19:00Z\n',
      `2026-11-20T21:19:00.${'1'.repeat(44)}Z`,
    ]) {
      assert.equal(toMicroseconds(text), undefined, text);
    }
  });

  test('agrees with Date to the millisecond', () => {
    const years = {
      min: new Date('0002-01-01T00:00:00Z'),
      max: new Date('9998-12-31T00:00:00Z'),
      noInvalidDate: true,
    };
    fc.assert(
      fc.property(fc.date(years), fc.integer({ min: -1439, max: 1439 }), (date, minutes) => {
        const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((number) =>
          String(number).padStart(2, '0'),
        );
        const sign = minutes < 0 ? '-' : '+';
        for (const offset of [`${sign}${hours}:${rest}`, `${sign}${hours}${rest}`])
          assert.equal(toMicroseconds(local + offset), `${date.toISOString().slice(0, -1)}000Z`);
      }),
    );
  });
});
