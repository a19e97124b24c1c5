import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { problemCatalogue } from '../core/problem-catalogue.ts';

/**
 * Writes the table of docs/errors.md from the error catalogue: `npm run docs:errors`. Codes, statuses and order come from the
 * code. The texts of a known code are kept. A new code gets the texts of the catalogue.
 */
export const ERRORS_PAGE = fileURLToPath(new URL('../../../docs/errors.md', import.meta.url));

const HEAD = '| Code | Status | Meaning | What to do |\n|---|---|---|---|\n';
const ROW = /^\| `(\w+)` \| \d+ \| (.+) \| (.+) \|$/gm;

/** Returns the page with a current table. */
export function withErrorTable(page: string): string {
  const start = page.indexOf(HEAD);
  if (start < 0) throw new Error('docs/errors.md has no table of the error codes.');
  const afterHead = page.slice(start + HEAD.length);
  const [table = ''] = /^(?:\|.*\n?)*/.exec(afterHead) ?? [];
  const texts = new Map(
    [...table.matchAll(ROW)].map(([, code = '', meaning, action]) => [code, [meaning, action]] as const),
  );
  const rows = Object.entries(problemCatalogue).map(([code, [status, , detail]]) => {
    const [meaning, action] = texts.get(code) ?? sentencesOf(detail);
    return `| \`${code}\` | ${status} | ${meaning} | ${action} |\n`;
  });
  return page.slice(0, start) + HEAD + rows.join('') + afterHead.slice(table.length);
}

/** What is wrong, and what to do. */
function sentencesOf(detail: string): [meaning: string, action: string] {
  const end = detail.indexOf('. ') + 1;
  return [detail.slice(0, end), detail.slice(end + 1)];
}

if (import.meta.main) await writeFile(ERRORS_PAGE, withErrorTable(await readFile(ERRORS_PAGE, 'utf8')));
