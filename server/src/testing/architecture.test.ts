import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('..', import.meta.url));
const ROOT = join(SRC, '../..');
const sources = globSync('**/*.ts', { cwd: SRC });
const isProduction = (file: string): boolean => !file.includes('.test.') && !file.startsWith('testing/');
const textOf = (file: string): string => readFileSync(join(SRC, file), 'utf8');

interface Import {
  from: string;
  /** A path inside the folder of `from`, or the name of a package. */
  to: string;
}

function importsIn(folder: string, files: string[]): Import[] {
  return files.flatMap((from) =>
    [
      ...readFileSync(join(folder, from), 'utf8').matchAll(
        /^\s*(?:import|export)\s+(?:type\s)?[^'"]*?from\s+'([^']+)'/gm,
      ),
    ].map(([, target = '']) => ({
      from,
      to: target.startsWith('.') ? normalize(join(dirname(from), target)) : target,
    })),
  );
}

const imports = importsIn(SRC, sources);
const production = imports.filter(({ from }) => isProduction(from));

/** `features/gameplay/matches/routes.ts` belongs to the feature `gameplay/matches`. */
const featureOf = (path: string): string | undefined => /^features\/([^/]+\/[^/]+)\//.exec(path)?.[1];

/** The folders that each folder of src may import, besides itself. */
const LAYERS: Record<string, string[]> = {
  core: [],
  redis: ['core'],
  processes: ['core'],
  security: ['core', 'processes', 'redis'],
  database: ['core'],
  outbound: ['core'],
  jobs: ['core', 'database'],
  http: ['core', 'processes', 'security'],
  // It is a client: it uses the server over HTTP alone.
  simulation: ['core'],
};

/** Fails if files import each other in a circle. Compares paths without their ending, which the console leaves out. */
function refuseCycles(edges: Import[]): void {
  const withoutEnding = (path: string): string => path.replace(/\.tsx?$/, '');
  const graph = Map.groupBy(edges, ({ from }) => withoutEnding(from));
  const done = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    assert.ok(!path.includes(file), `a cycle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`);
    if (done.has(file)) return;
    for (const { to } of graph.get(file) ?? []) visit(withoutEnding(to), [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
}

function forbid(what: string, isBroken: (candidate: Import) => boolean): void {
  test(what, () => {
    assert.deepEqual(
      production.filter(isBroken).map(({ from, to }) => `${from} imports ${to}`),
      [],
    );
  });
}

describe('imports', () => {
  test('are found', () => assert.ok(production.length > 1000));

  for (const [layer, allowed] of Object.entries(LAYERS))
    forbid(`${layer} imports only ${['itself', ...allowed].join(', ')} and packages`, ({ from, to }) => {
      const [folder = ''] = to.split('/');
      return (
        from.startsWith(`${layer}/`) && to.endsWith('.ts') && folder !== layer && !allowed.includes(folder)
      );
    });

  forbid(
    'core and security do not know Fastify',
    ({ from, to }) =>
      /^(core|security|database|jobs|outbound|processes|redis)\//.test(from) && to === 'fastify',
  );

  forbid(
    'features do not import the runtime or the command line',
    ({ from, to }) => from.startsWith('features/') && /^(runtime|cli)\//.test(to),
  );

  forbid('a feature imports another feature through its index.ts only', ({ from, to }) => {
    const target = featureOf(to);
    return target !== undefined && target !== featureOf(from) && !to.endsWith('/index.ts');
  });

  forbid(
    'use cases and queries import neither Fastify nor HTTP schemas',
    ({ from, to }) =>
      featureOf(from) !== undefined &&
      !/(routes|schemas|index|event-types)\.ts$/.test(from) &&
      (to === 'fastify' || to.startsWith('@fastify/') || to.endsWith('schemas.ts')),
  );

  forbid(
    'routes and schemas contain no SQL',
    ({ from, to }) =>
      featureOf(from) !== undefined && to === 'database/sql.ts' && /(routes|schemas)\.ts$/.test(from),
  );

  test('routes call use cases, not queries', () => {
    const routes = sources.filter((file) => isProduction(file) && file.endsWith('routes.ts'));
    assert.ok(routes.length > 40, 'the routes are found');
    const called = routes.flatMap((file) =>
      [...textOf(file).matchAll(/^import \{([^}]*)\} from '[^']*queries\.ts'/gm)]
        .flatMap(([, names = '']) => names.split(','))
        .filter((name) => /^\s*(?!type )[a-z]/.test(name))
        .map((name) => `${file} imports ${name.trim()}`),
    );
    assert.deepEqual(called, []);
  });

  forbid(
    'production code imports no test helper',
    ({ to }) => to.startsWith('testing/') || to.includes('.test.'),
  );

  test('of Node are in the oldest versions that package.json allows', () => {
    const versionsIn = (text: string): [number, number][] =>
      [...text.matchAll(/(\d+)\.(\d+)\.\d+/g)].map(([, major, minor]) => [Number(major), Number(minor)]);
    const { engines } = JSON.parse(readFileSync(join(ROOT, 'server/package.json'), 'utf8')) as {
      engines: { node: string };
    };
    const oldest = versionsIn(engines.node);
    const link = readFileSync(join(ROOT, 'tools/link-node.js'), 'utf8');
    const [linked] = /(?<=OLDEST_MINOR = )\{.*\}/.exec(link)!;
    assert.equal(linked, `{ ${oldest.map(([major, minor]) => `${major}: ${minor}`).join(', ')} }`);

    // The type definitions name only the first of several versions.
    const alsoSince: Record<string, string> = { randomUUIDv7: 'v24.16.0' };
    const used = sources
      .filter(isProduction)
      .flatMap((file) =>
        [...textOf(file).matchAll(/^import \{([^}]*)\} from '(node:[\w/]+)'/gm)].flatMap(
          ([, names = '', module = '']) =>
            names.split(',').map((name) => ({ name: /(?:type )?(\w*)/.exec(name.trim())![1]!, module })),
        ),
      );
    const sinceOf = ({ name, module }: { name: string; module: string }): [number, number][] => {
      const types = readFileSync(join(ROOT, 'node_modules/@types/node', `${module.slice(5)}.d.ts`), 'utf8');
      const [before, declared] = types.split(new RegExp(`(?:function|class) (${name}\\b)`));
      const comment = declared ? (before!.split('/**').at(-1) ?? '') : '';
      return versionsIn(`${/@since .*/.exec(comment)?.[0]} ${alsoSince[name]}`);
    };
    const known = used
      .map((one) => ({ ...one, since: sinceOf(one) }))
      .filter(({ since }) => since.length > 0);
    assert.ok(known.length > 100, `${known.length} versions are found`);
    const isIn =
      ([major, minor]: [number, number]) =>
      ([first, firstMinor]: [number, number]) =>
        first < major || (first === major && firstMinor <= minor);
    const tooNew = known.filter(({ since }) => !oldest.every((version) => since.some(isIn(version))));
    assert.deepEqual(
      tooNew.map(({ name, module }) => `${name} of ${module}`),
      [],
    );
  });

  test('of the tracing libraries are in one file, which is loaded only if traces are on', () => {
    const ofTracing = production.filter(({ to }) => to.startsWith('@opentelemetry/'));
    assert.deepEqual([...new Set(ofTracing.map(({ from }) => from))], ['runtime/tracing.ts']);
    const importers = production.filter(({ to }) => to === 'runtime/tracing.ts').map(({ from }) => from);
    assert.deepEqual(importers, [], 'import it with import()');
  });

  test('acceptance tests and examples import nothing of the server', () => {
    const root = join(SRC, '..');
    const files = globSync(['acceptance/**/*.ts', '../examples/**/*.{ts,mjs,js}'], { cwd: root });
    const broken = files.filter((file) =>
      /from '(\.\.\/)+(src|server)\//.test(readFileSync(join(root, file), 'utf8')),
    );
    assert.deepEqual(broken, []);
  });

  test('form no cycle, imports of types included', () => refuseCycles(production));

  for (const folder of ['console/src', 'sdk/src', 'server/trust', 'server/acceptance', 'server/benchmarks'])
    test(`form no cycle in ${folder}, imports of types included`, () => {
      const path = join(ROOT, folder);
      const found = importsIn(path, globSync('**/*.{ts,tsx}', { cwd: path }));
      assert.ok(found.length > 30, 'the imports are found');
      refuseCycles(found);
    });
});

/** Features that write tables of other features, with the reason. All other features write only their own tables. */
const SHARED_WRITERS: Record<string, { tables: string[]; reason: string }> = {
  'sign-in/login': {
    tables: [
      'auth_methods',
      'devices',
      'login_sessions',
      'players',
      'refresh_tokens',
      'tenant_access',
      'tenant_player_counts',
    ],
    reason: 'one statement writes a whole login',
  },
  'sign-in/email': {
    tables: ['auth_methods', 'players'],
    reason: 'a proof of an address removes the sign-up that nobody proved, in one transaction',
  },
  'sign-in/portal': { tables: ['auth_methods'], reason: 'a portal login records when its method was used' },
  'sign-in/tokens': { tables: ['login_sessions'], reason: 'the session row is the lock of a refresh' },
  'players/profiles': {
    tables: ['ban_fingerprints', 'player_bans', 'player_notes', 'tenant_access', 'tenant_player_counts'],
    reason: 'a merge or deletion changes all that a person has, in one transaction',
  },
  'players/administration': {
    tables: ['tenant_access', 'tenant_player_counts'],
    reason: 'roles and hiding are columns of the access record, and a command corrects the counts',
  },
  'studio/workspaces': { tables: ['memberships'], reason: 'the creator is the first owner' },
  'gameplay/event-definitions': { tables: ['tenants'], reason: 'auto-create is a setting of the tenant' },
  'traffic/alerts': { tables: ['tenants'], reason: 'thresholds are settings of the tenant' },
};

describe('tables', () => {
  const writes = sources
    .filter((source) => isProduction(source) && featureOf(source))
    .flatMap((file) =>
      [
        ...textOf(file).matchAll(
          /\b(?:INSERT INTO|UPDATE|DELETE FROM|MERGE INTO)\s+(?:ONLY\s+)?([a-z]+_[a-z_]+|players|accounts|tenants|devices|mails|memberships|invitations|workspaces|notifications|alerts)\b/g,
        ),
      ].map(([, table = '']) => ({ feature: featureOf(file)!, table })),
    );

  test('are each written by one feature, with listed exceptions', () => {
    assert.ok(new Set(writes.map(({ table }) => table)).size > 30, 'the statements are found');
    const owners = Map.groupBy(
      writes.filter(({ feature, table }) => !SHARED_WRITERS[feature]?.tables.includes(table)),
      ({ table }) => table,
    );
    const contested = [...owners]
      .map(([table, found]) => [table, [...new Set(found.map(({ feature }) => feature))]] as const)
      .filter(([, features]) => features.length > 1);
    assert.deepEqual(contested, []);
  });

  test('have no unused exception', () => {
    const unused = Object.entries(SHARED_WRITERS).flatMap(([feature, { tables }]) =>
      tables
        .filter((table) => !writes.some((write) => write.feature === feature && write.table === table))
        .map((table) => `${feature}: ${table}`),
    );
    assert.deepEqual(unused, []);
  });
});

test('a schema has the name that the API reference shows, or this name with Schema if a type has it', async () => {
  const files = sources.filter((file) => isProduction(file) && /\btitle: '\w+'/.test(textOf(file)));
  const exports = await Promise.all(files.map((file) => import(join(SRC, file)) as Promise<object>));
  const schemas = exports
    .flatMap((names) => Object.entries(names) as [string, { title?: string }][])
    .filter(([, { title }]) => title !== undefined);
  assert.ok(schemas.length > 150);
  for (const [name, { title }] of schemas) assert.equal(name.replace(/Schema$/, ''), title);
});

test('only the configuration, the embedded server and the start of a process read the environment', () => {
  const allowed = ['runtime/config.ts', 'database/embedded/programs.ts', 'cli/compile-cache.ts'];
  const readers = sources.filter(
    (file) => !file.startsWith('testing/') && !allowed.includes(file) && textOf(file).includes('process.env'),
  );
  assert.deepEqual(readers, []);
});
