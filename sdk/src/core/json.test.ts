import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseJson, writeJson } from './json.ts';

describe('parseJson', () => {
  test('gives a bigint for integers that a number would round', () => {
    assert.deepEqual(parseJson('{"value": 9223372036854775807, "small": 5}'), {
      value: 9223372036854775807n,
      small: 5,
    });
    assert.deepEqual(parseJson('[-9223372036854775808, 9007199254740991, 9007199254740993]'), [
      -9223372036854775808n,
      9007199254740991,
      9007199254740993n,
    ]);
  });

  test('does not change digits in texts and fractions', () => {
    const text = '{"a\\"1234567890123456789": "say \\"12345678901234567890\\" 1", "b": 1234567890123456.75}';
    assert.deepEqual(parseJson(text), JSON.parse(text));
  });

  test('reads a text of 10 MB beside a bigint', () => {
    const text = 'x'.repeat(10_000_000);
    assert.ok(text === (parseJson(`["${text}",9007199254740993]`) as string[])[0]);
  });

  test('finds the end of a string with escapes at its end', () => {
    assert.deepEqual(parseJson('["\\\\", 9007199254740993, "\\\\\\"9007199254740993"]'), [
      '\\',
      9007199254740993n,
      '\\"9007199254740993',
    ]);
  });

  test('refuses what JSON.parse refuses', () => {
    for (const text of ['', '{"a": 12345678901234567890', '[01234567890123456789]'])
      assert.throws(() => parseJson(text), SyntaxError, text);
  });
});

describe('writeJson', () => {
  test('writes a bigint as a text of digits', () => {
    assert.equal(writeJson({ value: 9007199254740993n, other: 1 }), '{"value":"9007199254740993","other":1}');
  });
});
