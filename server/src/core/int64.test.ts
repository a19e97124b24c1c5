import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { digitsOfNumber, int64Digits } from './int64.ts';

describe('digitsOfNumber', () => {
  test('returns the digits of an integer in any notation', () => {
    const cases = [
      ['0', '0'],
      ['-0.00e5', '0'],
      ['12.0', '12'],
      ['1e3', '1000'],
      ['1.5E+3', '1500'],
      ['1200e-2', '12'],
      ['-9.223372036854775808e18', '-9223372036854775808'],
      ['9007199254740993', '9007199254740993'],
      ['1e31', `1${'0'.repeat(31)}`],
    ] as const;
    for (const [number, digits] of cases) assert.equal(digitsOfNumber(number), digits, number);
  });

  test('returns undefined for fractions, for too many digits, and for other texts', () => {
    const numbers = [
      '1.5',
      '1e-400',
      '12e-1',
      '9007199254740990.6e0',
      '0.1',
      '1e32',
      '1e999999999',
      '-1e-1',
      '',
      'x',
      '1e',
    ];
    for (const number of numbers) assert.equal(digitsOfNumber(number), undefined, number);
  });

  test('agrees with JSON.parse for integers of at most 53 bits', () => {
    const shift = fc.integer({ min: -20, max: 20 });
    fc.assert(
      fc.property(fc.maxSafeInteger(), shift, (integer, places) => {
        assert.equal(digitsOfNumber(JSON.stringify(integer)), String(integer));
        const value = Number(`${integer}e${places}`);
        if (Number.isSafeInteger(value) && value % 1 === 0 && places >= 0)
          assert.equal(digitsOfNumber(`${integer}e${places}`), String(value));
      }),
    );
  });
});

describe('int64Digits', () => {
  test('returns the digits of each signed 64-bit integer', () => {
    for (const [value, digits] of [
      ['9223372036854775807', '9223372036854775807'],
      ['-9223372036854775808', '-9223372036854775808'],
      ['0'.repeat(31) + '7', '7'],
      ['-0', '0'],
      [-0, '0'],
      [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ] as const)
      assert.equal(int64Digits(value), digits, String(value));
  });

  test('returns undefined for integers beyond the limits, and for other values', () => {
    for (const value of [
      '9223372036854775808',
      '-9223372036854775809',
      '0'.repeat(32) + '7',
      2 ** 53,
      1.5,
      '1.0',
      '1e3',
      ' 1',
      '',
      null,
      true,
      [1],
    ])
      assert.equal(int64Digits(value), undefined, String(value));
  });
});
