import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ProblemError, problemCatalog, type ProblemCode } from '../core/problem.ts';

test('the documentation lists every error code with its status', () => {
  const documentation = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  for (const [code, [status]] of Object.entries(problemCatalog)) {
    assert.match(
      documentation,
      new RegExp(`\\| \`${code}\` \\| ${status} \\|`),
      `${code} is not in docs/errors.md`,
    );
  }
});

test('every error code has a title, and a detail of whole sentences', () => {
  for (const [code, [, title, detail]] of Object.entries(problemCatalog)) {
    assert.match(title, /^[A-Z].*[^.]$/, code);
    assert.match(detail, /^[A-Z].*\.$/, code);
    assert.equal(new ProblemError(code as ProblemCode).detail, detail);
    assert.equal(new ProblemError(code as ProblemCode, { detail: '' }).detail, detail);
  }
});
