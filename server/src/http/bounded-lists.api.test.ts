import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { withoutReferences } from '../testing/openapi.ts';
import { startTestApp } from '../testing/test-app.ts';

const app = await startTestApp();
const document = withoutReferences((await app.http.get('/openapi.json')).body);

interface Schema {
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; schema: { default?: number; maximum?: number } }[];
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

/** Arrays without a limit, whose length callers cannot increase. */
const BOUNDED_OTHERWISE = new Set([
  // Only the operator adds signing keys, and retired keys are omitted.
  'getPublicKeys .keys',
  'listSigningKeys .items',
  // The code names the queues and the components.
  'listJobQueues .items',
  'getHealth .components',
  // The recordings of one batch: at most 256 commands.
  'getWalletTransaction .entries',
  'getTenantWalletTransaction .entries',
]);

/** Exports send their rows while they read them page by page, so their length costs no memory (`http/exports.ts`). */
const STREAMED = new Set(['exportOwnData', 'exportTenantPlayer']);

/** The members that contain the page of a list with a `limit` or `pageSize`. */
const PAGES = new Set(['.items', '.sessions']);

/** The paths of all arrays in a schema that declare no `maxItems`. */
function* openArrays(schema: Schema, path = ''): Generator<string> {
  if (schema.items) {
    if (schema.maxItems === undefined) yield path;
    yield* openArrays(schema.items, `${path}[]`);
  }
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    yield* openArrays(member, `${path}.${name}`);
  for (const variant of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) yield* openArrays(variant, path);
}

test('every array in the response of a GET has a limit in the query or in its schema', () => {
  const reads = Object.values(document.paths as Record<string, { get?: Operation }>).flatMap(
    ({ get }) => get ?? [],
  );
  assert.ok(reads.length > 30);
  let arrays = 0;
  for (const { operationId, parameters = [], responses } of reads) {
    if (STREAMED.has(operationId)) continue;
    const isPaged = parameters.some(
      ({ name, schema }) =>
        (name === 'limit' || name === 'pageSize') && (schema.maximum ?? Infinity) <= 1_000,
    );
    const schema = responses['200']?.content?.['application/json']?.schema ?? {};
    for (const path of openArrays(schema)) {
      arrays++;
      if (isPaged && PAGES.has(path)) continue;
      assert.ok(BOUNDED_OTHERWISE.has(`${operationId} ${path}`), `${operationId}: ${path} has no limit`);
    }
  }
  assert.ok(arrays > 15);
});

test('docs/api-conventions.md lists each page size that is not the default', () => {
  const page = readFileSync(new URL('../../../docs/api-conventions.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^\| `GET (\S+)` \| ([\d,]+) \| ([\d,]+) \|$/gm)].map((row) =>
    row.slice(1),
  );
  const unusual = Object.entries(document.paths as Record<string, { get?: Operation }>).flatMap(
    ([path, { get }]) =>
      (get?.parameters ?? [])
        .filter(({ name, schema }) => name === 'limit' && (schema.default !== 50 || schema.maximum !== 200))
        .map(({ schema }) => [
          path,
          ...[schema.default, schema.maximum].map((size) => size?.toLocaleString('en-US')),
        ]),
  );
  assert.deepEqual(listed.toSorted(), unusual.toSorted());
});
