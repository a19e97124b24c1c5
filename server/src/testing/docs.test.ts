import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { KeyCaller } from '../core/callers.ts';
import { auditActions } from '../features/platform/audit/index.ts';
import { tokenProviders } from '../features/sign-in/login/index.ts';
import { alertTypes } from '../features/traffic/alerts/queries.ts';
import type { KeylessCaller } from '../http/traffic/rate-limit.ts';
import { ERRORS_PAGE, withErrorTable } from './error-catalogue.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const pages = globSync(['*.md', 'docs/**/*.md', 'examples/*/*.md', '.github/**/*.md'], { cwd: ROOT });
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
const withoutCode = (text: string): string => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');

/** What a pattern finds in the code of the features. */
const inFeatures = (pattern: RegExp): string[] =>
  globSync('server/src/features/**/*.ts', { cwd: ROOT })
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => [...textOf(path).matchAll(pattern)].map(([, found = '']) => found));

/** What stands in backquotes in the first cells of the table with this header. */
function firstCells(page: string, header: string): string[] {
  const [, table = ''] = textOf(page).split(`\n${header}`);
  const [rows = ''] = table.split('\n\n');
  return [...rows.matchAll(/^\| ([^|]+) \|/gm)].flatMap(
    ([, cell = '']) => cell.match(/(?<=`)[\w.]+(?=`)/g) ?? [],
  );
}

/** The anchor of a heading on GitHub: lower case, without punctuation, with hyphens for spaces. */
function anchorOf(heading: string): string {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function anchorsOf(page: string): Set<string> {
  const text = textOf(page).replace(/```[\s\S]*?```/g, '');
  return new Set([...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)));
}

describe('documentation', () => {
  test('has no broken link between pages of the repository', () => {
    const broken = pages.flatMap((page) =>
      [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^(https?:|mailto:)/.test(target))
        .filter((target) => {
          const [path = '', anchor] = target.split('#');
          const file = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path));
          if (!existsSync(join(ROOT, file))) return true;
          return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor);
        })
        .map((target) => `${page}: ${target}`),
    );
    assert.deepEqual(broken, []);
  });

  test('runs TypeScript with npm, because the Node of the machine may not run it', () => {
    const commands = pages.flatMap((page) =>
      [...textOf(page).matchAll(/^ *node \S+\.ts\b.*$/gm)].map(([line]) => `${page}: ${line}`),
    );
    assert.deepEqual(commands, []);
  });

  test('has every page that the code names', () => {
    const sources = globSync(
      [
        '{server,sdk,console}/{src,acceptance,trust,benchmarks,migrations}/**/*.{ts,tsx,sql}',
        'deploy/**/*',
        '.ci/run',
      ],
      { cwd: ROOT },
    ).filter((path) => statSync(join(ROOT, path)).isFile());
    const named = sources.flatMap((path) => textOf(path).match(/\bdocs\/[\w/-]+\.md\b/g) ?? []);
    assert.ok(named.length > 50, `${named.length} pages are named`);
    assert.deepEqual(
      [...new Set(named)].filter((page) => !existsSync(join(ROOT, page))),
      [],
    );
  });

  test('links each page in the README, and says at its beginning what it is for', () => {
    const readme = textOf('README.md');
    for (const page of pages.filter((path) => /^docs\/[^/]+\.md$/.test(path))) {
      assert.ok(readme.includes(`](${page})`), `${page} is in the README`);
      const [, , opening = ''] = textOf(page).split('\n');
      assert.match(opening, /^(After reading this page you|This page )/, `${page} begins with its use`);
    }
  });

  test('names each path of the API, at least by its last two segments', () => {
    const withoutNames = (text: string) => text.replace(/\{\w+\}|\$[A-Z_]+/g, '{}');
    const readers = pages.filter((page) => page === 'README.md' || /^docs\/[^/]+$/.test(page));
    const text = readers.map((page) => withoutNames(textOf(page))).join('\n');
    const paths = [...textOf('sdk/src/api.ts').matchAll(/^ {4}"(\/.+)": \{$/gm)].map(([, path = '']) => path);
    assert.ok(paths.length > 150, `${paths.length} paths are found`);
    const unnamed = paths.filter((path) => {
      const end = withoutNames(path).split('/').filter(Boolean).slice(-2).join('/');
      return !new RegExp(`${RegExp.escape(end)}(?![\\w/{-])`).test(text);
    });
    assert.deepEqual(unnamed, []);
  });

  test('lists each error code of the catalogue with its status', () => {
    const page = readFileSync(ERRORS_PAGE, 'utf8');
    assert.equal(withErrorTable(page), page, 'docs/errors.md is out of date. Run `npm run docs:errors`.');
    const changed = page.replace('| `invalid_request` | 400 |', '| `invalid_request` | 401 |');
    assert.equal(withErrorTable(changed), page, 'a wrong status is corrected');
  });

  test('lists each action of the audit trail', () => {
    const [, section = ''] = textOf('docs/studio.md').split('### Audit actions\n');
    const listed = [...section.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, action]) => action);
    assert.deepEqual(listed.toSorted(), [...auditActions].toSorted());
  });

  test('lists each type of notification', () => {
    const types = [
      ...alertTypes.map((type) => `alert.${type}`),
      ...inFeatures(/\btype: '(\w+\.\w+)',\s+title:/g),
    ];
    assert.deepEqual(firstCells('docs/alerts.md', '| `type` |').toSorted(), [...new Set(types)].toSorted());
  });

  test('lists each provider of the metric of sign-ins', () => {
    const providers = [...tokenProviders, 'unknown', ...inFeatures(/\bsignsInWith: '(\w+)'/g)];
    const listed = firstCells('docs/monitoring.md', '| `provider` |');
    assert.deepEqual(listed.toSorted(), [...new Set(providers)].toSorted());
  });

  test('lists each kind of caller that the metric of rate limits has', () => {
    const kinds: Record<KeyCaller['kind'] | KeylessCaller['kind'], true> = {
      game: true,
      api: true,
      account: true,
      player: true,
      network: true,
      site: true,
    };
    const [, listed = ''] = /guildhall_rate_limited_requests_total.*kind of caller is (.*)/.exec(
      textOf('docs/monitoring.md'),
    )!;
    assert.deepEqual(
      [...listed.matchAll(/`(\w+)`/g)].map(([, kind]) => kind),
      Object.keys(kinds),
    );
  });

  test('lists each option of the TypeScript client', () => {
    const clients = globSync('sdk/src/{*,*/*}.ts', { cwd: ROOT }).filter(
      (path) => !path.endsWith('.test.ts'),
    );
    const published =
      /export interface (?:Http|Player|Portal|Admin|Server|Api|EventQueue|NotificationFeed|Verify)\w*Options [^{]*\{\n([^}]+)\n\}/g;
    const options = clients
      .flatMap((path) => [...textOf(path).matchAll(published)])
      .flatMap(([, members = '']) =>
        [...members.matchAll(/^ {2}(\w+)\??[:(]/gm)].map(([, name = '']) => name),
      );
    assert.deepEqual(firstCells('docs/sdk.md', '| Option |').toSorted(), [...new Set(options)].toSorted());
  });

  test('lists each decision in the index, with its title', () => {
    const index = textOf('docs/decisions/README.md');
    for (const page of pages.filter((path) => /decisions\/\d/.test(path))) {
      const title = /^# (\d{4}): (.+)$/m.exec(textOf(page));
      assert.ok(title, `${page} begins with its number and title`);
      const [, number, topic] = title;
      const file = page.split('/').at(-1);
      assert.ok(index.includes(`| [${number}](${file}) | ${topic} |`), `${page} is in the index`);
    }
  });
});
