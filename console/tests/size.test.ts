import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

interface Chunk {
  file: string;
  imports?: string[];
}

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url));
const manifest = JSON.parse(read('dist/.vite/manifest.json').toString()) as Record<string, Chunk>;
const { firstPageBytes: recorded } = JSON.parse(read('size.json').toString()) as { firstPageBytes: number };

const LIMIT = 300 * 1024;
const GROWTH = 1.02;

/** All that the browser loads for the overview, its charts included. */
function filesOfFirstPage(): string[] {
  const files = new Set<string>();
  const add = (name: string): void => {
    const chunk = manifest[name]!;
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const next of chunk.imports ?? []) add(next);
  };
  for (const name of ['index.html', 'style.css', 'src/pages/overview/OverviewPage.tsx']) add(name);
  return [...files];
}

describe('the first page', () => {
  const bytes = filesOfFirstPage().reduce(
    (sum, file) => sum + gzipSync(read(`dist/${file}`), { level: 9 }).length,
    0,
  );

  test('has at most 300 KiB of scripts and styles after gzip', () => {
    assert.ok(bytes <= LIMIT, `${bytes} bytes`);
  });

  test('has not grown by more than 2 % over the recorded size', () => {
    const message = `${bytes} bytes instead of ${recorded}. If the growth is worth it, record it in console/size.json.`;
    assert.ok(bytes <= recorded * GROWTH, message);
  });
});

describe('the page before the scripts have loaded', () => {
  test('shows that it loads, before its link to the styles', () => {
    const page = read('dist/index.html').toString();
    const link = page.indexOf('<link rel="stylesheet"');
    assert.ok(link > page.indexOf('Loading Guildhall'), page);
    assert.match(page, /<style nonce="__CSP_NONCE__">\.start\{/);
  });
});

describe('the styles', () => {
  const classesIn = (text: string) => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g));
  const built = readdirSync(new URL('../dist/assets', import.meta.url));
  const classesOf = (extension: string) =>
    classesIn(
      built
        .filter((name) => name.endsWith(extension))
        .map((name) => read(`dist/assets/${name}`).toString())
        .join('\n'),
    );

  test('include those of each component of Mantine in use (src/app/mantine.css)', () => {
    const all = classesIn(
      readFileSync(createRequire(import.meta.url).resolve('@mantine/core/styles.css'), 'utf8'),
    );
    const used = classesOf('.js').intersection(all);
    assert.ok(used.size > 100, `${used.size} classes`);
    assert.deepEqual([...used.difference(classesOf('.css'))], []);
  });
});
