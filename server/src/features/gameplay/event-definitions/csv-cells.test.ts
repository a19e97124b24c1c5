import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { protectCell, readCell } from './csv-cells.ts';

const STARTS = [...'=+-@\t\r\n＝＋－＠'];

describe('protectCell', () => {
  test('adds an apostrophe to formulas and to text with a leading apostrophe', () => {
    for (const start of STARTS) assert.equal(protectCell(`${start}1+1`), `'${start}1+1`);
    assert.equal(protectCell("'tis"), "''tis");
    for (const separator of [';', '\t', '\r', '\n', '\r\n'])
      assert.equal(protectCell(`a${separator}=1`), `a${separator}'=1`);
    for (const text of ['', 'a', 'a=b', ' =1', '1', '"=1"', 'é']) assert.equal(protectCell(text), text);
  });
});

describe('readCell', () => {
  test('removes one apostrophe from protected cells only', () => {
    for (const start of STARTS) assert.equal(readCell(`'${start}1`), `${start}1`);
    assert.equal(readCell("''=1"), "'=1");
    for (const text of ["'tis", "'", 'a', '', '=1', "a'=1"]) assert.equal(readCell(text), text);
  });

  test('restores any text that protectCell has protected', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...STARTS, "'", 'a', ' ', ';') }),
    );
    fc.assert(
      fc.property(text, (one) => {
        assert.equal(readCell(protectCell(one)), one);
        for (const cell of protectCell(one).split(/[;\t\r\n]/)) assert.doesNotMatch(cell, /^[=+\-@＝＋－＠]/);
      }),
    );
  });
});
