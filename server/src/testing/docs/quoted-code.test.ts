import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readFences } from './read-page.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/** The lines without indentation and without blank lines, because a fence indents less and can omit blank lines. */
function linesOf(code: string): string[] {
  return code
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The excerpts of a fence. A comment `// …` stands for omitted lines. */
function excerptsOf(code: string): string[] {
  return code.split(/^\s*\/\/ …$/m).map((part) => linesOf(part).join('\n'));
}

describe('the code in CONTRIBUTING.md', () => {
  const fences = readFences(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')).filter(
    ({ language }) => language === 'ts',
  );
  for (const { line, code } of fences) {
    test(`is in the file that the fence of line ${line} names`, () => {
      const [, file = '', quoted = ''] = /^\/\/ (\S+)\n([^]*)$/.exec(code) ?? [];
      const path = join(ROOT, file);
      assert.ok(file !== '' && existsSync(path), `The first line names no file: ${code.split('\n')[0]}`);
      const source = `\n${linesOf(readFileSync(path, 'utf8')).join('\n')}\n`;
      let from = 0;
      for (const excerpt of excerptsOf(quoted)) {
        const at = source.indexOf(`\n${excerpt}\n`, from);
        assert.ok(at >= 0, `${file} does not have these lines after the excerpts before:\n${excerpt}`);
        from = at + excerpt.length + 1;
      }
    });
  }
});
