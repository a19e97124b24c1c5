import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('..', import.meta.url));
const sources = globSync('**/*.ts', { cwd: SRC });

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

/** Every import of one of our files by another; `to` is a path within src, or a package. */
const imports: Import[] = sources.flatMap((from) => {
  const text = readFileSync(join(SRC, from), 'utf8');
  return [...text.matchAll(/^\s*(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'/gm)].map(
    ([, type, target = '']) => ({
      from,
      to: target.startsWith('.') ? normalize(join(dirname(from), target)) : target,
      typeOnly: Boolean(type),
    }),
  );
});
const production = imports.filter(({ from }) => !from.includes('.test.') && !from.startsWith('testing/'));
const featureOf = (path: string): string | undefined => /^features\/([^/]+)\//.exec(path)?.[1];

function forbid(what: string, broken: (candidate: Import) => boolean, among: Import[] = production): void {
  test(what, () => {
    assert.deepEqual(
      among.filter(broken).map(({ from, to }) => `${from} imports ${to}`),
      [],
    );
  });
}

test('the imports were found', () => assert.ok(production.length > 100));

forbid(
  'shared imports nothing of ours',
  ({ from, to }) => from.startsWith('shared/') && to.endsWith('.ts') && !to.startsWith('shared/'),
);

forbid(
  'database, http, redis, security, jobs and outbound import no feature',
  ({ from, to }) =>
    /^(database|http|redis|security|jobs|outbound)\//.test(from) && to.startsWith('features/'),
);

forbid(
  'the database and the security layer know nothing of HTTP',
  ({ from, to }) => /^(database|security)\//.test(from) && (to.startsWith('http/') || to === 'fastify'),
);

forbid('a feature enters another by its index alone', ({ from, to }) => {
  const target = featureOf(to);
  return target !== undefined && target !== featureOf(from) && !to.endsWith('/index.ts');
});

forbid(
  'use cases and queries know neither Fastify nor the HTTP schemas',
  ({ from, to }) =>
    featureOf(from) !== undefined &&
    !/(routes|schemas|index)\.ts$/.test(from) &&
    (to === 'fastify' || to.startsWith('@fastify/') || to.endsWith('schemas.ts')),
);

forbid(
  'SQL stands in queries, filters and writers',
  ({ from, to }) =>
    featureOf(from) !== undefined && to === 'database/sql.ts' && /(routes|schemas)\.ts$/.test(from),
);

forbid(
  'production code imports no test helper',
  ({ to }) => to.startsWith('testing/') || to.includes('.test.'),
);

test('acceptance tests and examples import nothing of the server', () => {
  const root = join(SRC, '..');
  const files = globSync(['acceptance/**/*.ts', '../examples/**/*.{ts,mjs,js}'], { cwd: root });
  const broken = files.filter((file) =>
    /from '(\.\.\/)+(src|server)\//.test(readFileSync(join(root, file), 'utf8')),
  );
  assert.deepEqual(broken, []);
});

test('there are no import circles', () => {
  const graph = Map.groupBy(
    production.filter(({ to, typeOnly }) => to.endsWith('.ts') && !typeOnly),
    ({ from }) => from,
  );
  const done = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    assert.ok(!path.includes(file), `a circle: ${[...path, file].join(' → ')}`);
    if (done.has(file)) return;
    for (const { to } of graph.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
});

test('only config.ts reads the environment', () => {
  const allowed = ['config.ts', 'database/embedded-server.ts'];
  const readers = sources.filter(
    (file) =>
      !file.startsWith('testing/') &&
      !allowed.includes(file) &&
      readFileSync(join(SRC, file), 'utf8').includes('process.env'),
  );
  assert.deepEqual(readers, []);
});
