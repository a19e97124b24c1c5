import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { problemCatalogue } from '../core/problem-catalogue.ts';
import { ProblemError, type ProblemCode } from '../core/problem.ts';

describe('problemCatalogue', () => {
  test('matches the error codes and statuses in docs/errors.md', () => {
    const documentation = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
    for (const [code, [status]] of Object.entries(problemCatalogue)) {
      assert.match(
        documentation,
        new RegExp(`\\| \`${code}\` \\| ${status} \\|`),
        `${code} is not in docs/errors.md`,
      );
    }
  });

  test('has a title and a detail of whole sentences for each code', () => {
    for (const [code, [, title, detail]] of Object.entries(problemCatalogue)) {
      assert.match(title, /^[A-Z].*[^.]$/, code);
      assert.match(detail, /^[A-Z].*\.$/, code);
      assert.equal(new ProblemError(code as ProblemCode).detail, detail);
      assert.equal(new ProblemError(code as ProblemCode, { detail: '' }).detail, detail);
    }
  });
});
