import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { protectCell, readCell } from './csv-cells.ts';

const STARTS = [...'=+-@\t\r\n＝＋－＠'];

test('a text that a spreadsheet would take for a formula gets an apostrophe, and so does one that has one', () => {
  for (const start of STARTS) assert.equal(protectCell(`${start}1+1`), `'${start}1+1`);
  assert.equal(protectCell("'tis"), "''tis");
  for (const text of ['', 'a', 'a=b', ' =1', '1', '"=1"', 'é']) assert.equal(protectCell(text), text);
});

test('only what was protected is taken away, and once', () => {
  for (const start of STARTS) assert.equal(readCell(`'${start}1`), `${start}1`);
  assert.equal(readCell("''=1"), "'=1");
  for (const text of ["'tis", "'", 'a', '', '=1', "a'=1"]) assert.equal(readCell(text), text);
});

test('any text comes back from its cell, and no cell begins a formula', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...STARTS, "'", 'a', ' ') }),
  );
  fc.assert(
    fc.property(text, (one) => {
      assert.equal(readCell(protectCell(one)), one);
      assert.doesNotMatch(protectCell(one), /^[=+\-@\t\r\n＝＋－＠]/);
    }),
  );
});
