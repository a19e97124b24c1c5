import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shapeDifferences } from './compare-shape.ts';
import { fileNameOf, readFences } from './read-page.ts';

describe('shapeDifferences', () => {
  test('accepts other values of the same types', () => {
    const shown = { id: '…', items: [{ a: 1 }], at: null };
    assert.deepEqual(shapeDifferences(shown, { id: 'x', items: [{ a: 2 }, { a: 3 }], at: null }), []);
  });

  test('names a missing, an additional and a changed member', () => {
    assert.deepEqual(shapeDifferences({ a: 1, b: { c: '' } }, { b: { c: 2 }, d: true }), [
      'the answer has no a',
      'the answer has d, which is not shown',
      'the answer.b.c is a number, shown as a string',
    ]);
  });

  test('accepts more members and items at an ellipsis', () => {
    assert.deepEqual(shapeDifferences({ a: 1, '…': '…' }, { a: 1, b: 2 }), []);
    assert.deepEqual(shapeDifferences(['one', '…'], ['a']), []);
  });

  test('names a list with too few items', () => {
    assert.deepEqual(shapeDifferences([{ a: 1 }], []), ['the answer has 0 items, shown with 1']);
  });
});

describe('readFences', () => {
  test('reads language, code without indentation, line and marks', () => {
    const page = ['1. Do it:', '', '   <!-- answers 422 -->', '   ```sh', '   curl -s', '     x', '   ```'];
    assert.deepEqual(readFences(page.join('\n')), [
      { line: 4, language: 'sh', code: 'curl -s\n  x', marks: { answers: 422 } },
    ]);
  });

  test('throws on an unknown comment, a reason that is too short, and a fence without an end', () => {
    assert.throws(() => readFences('<!-- skip -->\n```sh\nls\n```'), /unknown form: skip/);
    assert.throws(() => readFences('<!-- not run: no -->\n```sh\nls\n```'), /unknown form/);
    assert.throws(() => readFences('```sh\nls'), /has no end/);
  });

  test('finds the name of the file that a fence shows', () => {
    const name = (code: string) => fileNameOf({ line: 1, language: 'js', code, marks: {} });
    assert.equal(name('// sign-in.mjs: signs in\nx()'), 'sign-in.mjs');
    assert.equal(name('x()'), undefined);
  });
});
