import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseCsv } from './parse-csv.ts';

describe('parseCsv', () => {
  test('returns rows by the names of the header', () => {
    assert.deepEqual(parseCsv('a,b\n1,2\n3,4\n'), [
      { a: '1', b: '2' },
      { a: '3', b: '4' },
    ]);
  });

  test('reads quoted cells with commas, quotes and line ends', () => {
    const [row] = parseCsv('name,note\r\n"Byrne, ""Don""","two\r\nlines"\r\n');
    assert.deepEqual(row, { name: 'Byrne, "Don"', note: 'two\r\nlines' });
  });

  test('accepts a byte order mark, CRLF, blank lines, empty cells and no line end at the end', () => {
    assert.deepEqual(parseCsv('\uFEFFa,b\r\n,\r\n\r\n"",x'), [
      { a: '', b: '' },
      { a: '', b: 'x' },
    ]);
    assert.deepEqual(parseCsv('a,b\n1,'), [{ a: '1', b: '' }]);
    assert.deepEqual(parseCsv(''), []);
  });

  test('refuses unclosed quotes, quotes in bare cells, and short rows', () => {
    assert.throws(() => parseCsv('a,b\n"1,2\n'), /quotes of CSV row 1/);
    assert.throws(() => parseCsv('a,b\n1"x",2\n'), /quotes of CSV row 1/);
    assert.throws(() => parseCsv('a,b\n1,2\n3\n'), /CSV row 2 has 1 cells, but the header has 2/);
  });
});
