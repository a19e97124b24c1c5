import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { startTestApp } from '../testing/test-app.ts';

const app = await startTestApp();
const { body: document } = await app.http.get('/openapi.json');

interface Operation {
  name: string;
  operationId?: string;
  summary?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  responses: Record<string, { description?: string; content?: object; headers?: object }>;
  parameters?: { name: string; in: string; schema: object }[];
}

const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
    ...operation,
    name: `${method.toUpperCase()} ${path}`,
  })),
);

/** Every object inside of a value, with the path that leads to it. */
function* objectsOf(value: unknown, path = '#'): Generator<[path: string, object: Record<string, unknown>]> {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
  for (const [name, item] of Object.entries(value)) yield* objectsOf(item, `${path}/${name}`);
}

test('it is OpenAPI 3.1, and every reference leads somewhere', () => {
  assert.match(document.openapi, /^3\.1\./);
  assert.ok(document.info.title && document.info.version);
  assert.ok(operations.length > 30);
  const resolve = (reference: string) =>
    reference
      .slice(2)
      .split('/')
      .reduce((at, name) => at?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], document);
  for (const [path, { $ref }] of objectsOf(document)) {
    if (typeof $ref === 'string') assert.ok($ref.startsWith('#/') && resolve($ref), `${path}: ${$ref}`);
  }
});

test('every schema is a JSON Schema 2020-12', () => {
  const ajv = new Ajv2020({ strict: false });
  let count = 0;
  for (const [path, { schema }] of objectsOf(document.paths)) {
    if (schema === undefined) continue;
    count++;
    assert.ok(ajv.validateSchema(schema as object), `${path}: ${ajv.errorsText()}`);
  }
  for (const [name, schema] of Object.entries(document.components.schemas))
    assert.ok(ajv.validateSchema(schema as object), `${name}: ${ajv.errorsText()}`);
  assert.ok(count > 100);
});

test('every operation says what it is, who may call it, and what it answers', () => {
  const tags = new Set(document.tags.map(({ name }: { name: string }) => name));
  const schemes = new Set(Object.keys(document.components.securitySchemes));
  const open = [
    'isLive',
    'isReady',
    'issueWalletProofChallenge',
    'getPublicKeys',
    'getMetrics',
    'signUp',
    'logIn',
    'refreshAccountSession',
    'logOut',
    'lookUpInvitation',
    'acceptInvitation',
    'startStoreAPortalLogin',
    'finishStoreAPortalLogin',
    'refreshPortalSession',
    'sendPortalCode',
    'exchangePortalCode',
    'logOutOfPortal',
    'getPublicPlayerProfile',
    'readAvatar',
  ];
  const ids = new Set<string>();
  const unsecured: string[] = [];
  for (const {
    name,
    operationId,
    summary,
    tags: tagged,
    security,
    responses,
    parameters = [],
  } of operations) {
    assert.ok(operationId && /^[a-z][A-Za-z]+$/.test(operationId), `${name}: ${operationId}`);
    assert.ok(!ids.has(operationId), `${operationId} is the name of two`);
    ids.add(operationId);
    assert.ok(summary, name);
    assert.equal(tagged?.length, 1, name);
    assert.ok(tags.has(tagged?.[0]), `${name}: the tag ${tagged?.[0]} is described`);
    if (!security) unsecured.push(operationId);
    for (const scheme of (security ?? []).flatMap((one) => Object.keys(one)))
      assert.ok(schemes.has(scheme), name);
    if (security) assert.ok('401' in responses, `${name} declares 401`);
    assert.ok(
      Object.keys(responses).some((status) => status.startsWith('2')),
      `${name} declares a success`,
    );
    for (const [status, { description }] of Object.entries(responses))
      assert.ok(description, `${name} ${status}`);
    const inPath = [...name.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    const declared = parameters
      .filter((parameter) => parameter.in === 'path')
      .map((parameter) => parameter.name);
    assert.deepEqual(declared.toSorted(), inPath.toSorted(), name);
  }
  assert.deepEqual(unsecured.toSorted(), open.toSorted(), 'what anybody may call');
});

test('what is counted per key says so', () => {
  const headers = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
  const counted = operations.filter(({ security = [] }) =>
    security.some((schemes) => 'gameKey' in schemes || 'apiKey' in schemes),
  );
  assert.ok(counted.length > 20);
  for (const { name, responses } of counted) {
    assert.ok('429' in responses, `${name} declares 429`);
    for (const [status, response] of Object.entries(responses)) {
      if (!/^2|429/.test(status)) continue;
      const wanted = status === '429' ? [...headers, 'Retry-After'] : headers;
      assert.deepEqual(Object.keys(response.headers ?? {}), wanted, `${name} ${status}`);
    }
  }
});

test('the reference, the figures, the health and the keys answer', async () => {
  const docs = await app.http.get('/docs/');
  assert.equal(docs.status, 200);
  assert.match(docs.headers.get('content-type') ?? '', /text\/html/);
  assert.match(docs.text, /openapi\.json/);
  for (const [, script = ''] of docs.text.matchAll(/<script[^>]+src="([^"]+)"/g))
    assert.equal((await fetch(new URL(script, `${app.url}/docs/`))).status, 200, `${script} comes from us`);

  await app.http.get('/nothing');
  const { text, status } = await app.http.get('/metrics');
  assert.equal(status, 200);
  assert.match(text, /guildhall_http_request_duration_seconds_count\{operation="unknown",status="404"\} \d/);
  for (const path of ['/health/live', '/health/ready'])
    assert.deepEqual((await app.http.get(path)).body, { status: 'ok' });
  const keys = await app.http.get('/.well-known/jwks.json');
  assert.match(keys.headers.get('cache-control') ?? '', /max-age/);
  assert.equal(keys.body.keys.length, 1);
});
