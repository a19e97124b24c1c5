import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { problemCatalogue } from '../shared/problem.ts';

test('the documentation lists every error code with its status', () => {
  const documentation = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  for (const [code, [status]] of Object.entries(problemCatalogue)) {
    assert.match(
      documentation,
      new RegExp(`\\| \`${code}\` \\| ${status} \\|`),
      `${code} is not in docs/errors.md`,
    );
  }
});
