import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.ts';
import {
  codePoints,
  compareCodePoints,
  findInJson,
  firstCodePoints,
  isNestedWithin,
  isStorable,
  isUnstorable,
  normaliseKey,
  slugify,
} from './text.ts';

describe('texts', () => {
  test('codePoints counts code points', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => codePoints(text) === [...text].length));
    assert.equal(codePoints('♞🐴'), 2);
  });

  test('firstCodePoints cuts between code points', () => {
    const [text, most] = [fc.string({ unit: 'binary' }), fc.integer({ min: 0, max: 12 })];
    fc.assert(
      fc.property(text, most, (it, length) => {
        assert.equal(firstCodePoints(it, length), [...it].slice(0, length).join(''));
      }),
    );
    assert.equal(firstCodePoints('♞🐴🐴', 2), '♞🐴');
  });

  test('compareCodePoints sorts like the bytes of UTF-8', () => {
    const texts = [
      '',
      'a',
      'ab',
      'z',
      'é',
      '\uff71',
      '\ufffd',
      '\u{1f600}',
      '\u{1f600}a',
      '\u{1f601}',
      '\u{10ffff}',
    ];
    assert.deepEqual(texts.toReversed().toSorted(compareCodePoints), texts);
    const wellFormed = fc.string({ unit: fc.constantFrom('a', 'é', '\uff71', '\u{1f600}', '\u{1f601}') });
    fc.assert(
      fc.property(
        wellFormed,
        wellFormed,
        (a, b) => Math.sign(compareCodePoints(a, b)) === Buffer.compare(Buffer.from(a), Buffer.from(b)),
      ),
    );
  });

  test('isStorable rejects NUL and unpaired surrogates', () => {
    assert.equal(isStorable('knight ♞ 🐴'), true);
    assert.equal(isStorable('a\0b'), false);
    assert.equal(isStorable('\ud83d'), false);
  });

  test('isUnstorable looks at texts, and at the names of members', () => {
    assert.deepEqual(['a\0b', { 'a\0b': 1 }, { a: 'a\0b' }, 'a', 5, null].map(isUnstorable), [
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  test('findInJson returns the path of the first value', () => {
    const isFive = (value: unknown) => value === 5;
    assert.deepEqual(findInJson({ a: [1, { b: 5 }, 5], c: null }, isFive), ['a', '1', 'b']);
    assert.deepEqual(findInJson({ a: { '': 5 } }, isFive), ['a', '']);
    assert.deepEqual(findInJson(5, isFive), []);
    assert.equal(findInJson({ a: ['5', null] }, isFive), undefined);
  });

  test('isNestedWithin counts levels of arrays and objects', () => {
    assert.equal(isNestedWithin('flat', 0), true);
    assert.equal(isNestedWithin({ a: [1, { b: 2 }] }, 3), true);
    assert.equal(isNestedWithin({ a: [1, { b: 2 }] }, 2), false);
    assert.equal(isNestedWithin([], 0), false);
  });

  test('normaliseKey returns one normal form', () => {
    assert.equal(normaliseKey('  boss \t\n killed '), 'boss killed');
    assert.equal(normaliseKey('e\u0301clair'), '\u00e9clair');
    assert.equal(normaliseKey('   '), '');
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        (text) => normaliseKey(normaliseKey(text)) === normaliseKey(text),
      ),
    );
  });

  test('slugify joins lower-case words, or returns the fallback', () => {
    assert.equal(slugify('  Élan & Co.: The Game!  ', 'x'), 'elan-co-the-game');
    assert.equal(slugify('♞♞♞', 'game'), 'game');
  });

  test('canonicalJson ignores the order of members', () => {
    assert.equal(
      canonicalJson({ b: [1, { d: null, c: 'x' }], a: true }),
      '{"a":true,"b":[1,{"c":"x","d":null}]}',
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).toReversed());
        assert.equal(canonicalJson(reversed), canonicalJson(value));
        assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
