import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { targetOf, withoutReferences } from '../../testing/openapi.ts';
import { startTestApp } from '../../testing/test-app.ts';

const app = await startTestApp();
const { body: document } = await app.http.get('/openapi.json');

interface Operation {
  name: string;
  operationId?: string;
  summary?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  responses: Record<string, { description?: string; content?: object; headers?: object }>;
  parameters?: { name: string; in: string; required?: boolean; schema: object; example?: unknown }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: object }> };
}

const operations: Operation[] = Object.entries(withoutReferences(document).paths as object).flatMap(
  ([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
      ...operation,
      name: `${method.toUpperCase()} ${path}`,
    })),
);

/** Every object inside a value, with its path. */
function* objectsOf(value: unknown, path = '#'): Generator<[path: string, object: Record<string, unknown>]> {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
  for (const [name, item] of Object.entries(value)) yield* objectsOf(item, `${path}/${name}`);
}

describe('GET /openapi.json', () => {
  test('is OpenAPI 3.1 without broken references', () => {
    assert.match(document.openapi, /^3\.1\./);
    assert.ok(document.info.title && document.info.version);
    assert.ok(operations.length > 30);
    for (const [path, { $ref }] of objectsOf(document)) {
      if (typeof $ref === 'string') assert.ok(targetOf(document, $ref), `${path}: ${$ref}`);
    }
  });

  test('contains only valid JSON Schema 2020-12', () => {
    const ajv = new Ajv2020({ strict: false });
    let count = 0;
    for (const [path, { schema }] of objectsOf({ ...document.paths, ...document.webhooks })) {
      if (schema === undefined) continue;
      count++;
      assert.ok(ajv.validateSchema(schema as object), `${path}: ${ajv.errorsText()}`);
    }
    for (const [name, schema] of Object.entries(document.components.schemas))
      assert.ok(ajv.validateSchema(schema as object), `${name}: ${ajv.errorsText()}`);
    assert.ok(count > 100);
  });

  test('describes the summary, the credentials and the responses of each operation', () => {
    const tags = new Set(document.tags.map(({ name }: { name: string }) => name));
    const schemes = new Set(Object.keys(document.components.securitySchemes));
    const open = [
      'getLiveness',
      'getReadiness',
      'createWalletProofChallenge',
      'getPublicKeys',
      'signUpAccount',
      'logInAccount',
      'refreshAccountSession',
      'logOutAccount',
      'verifyAccountEmail',
      'requestAccountPasswordReset',
      'resetAccountPassword',
      'verifyAccountTotp',
      'getInvitation',
      'acceptInvitation',
      'startStoreAPortalLogin',
      'finishStoreAPortalLogin',
      'refreshPortalSession',
      'sendPortalCode',
      'signInWithLink',
      'logInToPortalByCode',
      'logOutOfPortal',
      'getPublicPlayerProfile',
      'getAvatar',
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
      assert.ok(!ids.has(operationId), `${operationId} is not unique`);
      ids.add(operationId);
      assert.ok(summary, name);
      assert.equal(tagged?.length, 1, name);
      assert.ok(tags.has(tagged?.[0]), `${name}: the tag ${tagged?.[0]} is described`);
      assert.ok(security, `${name} declares its security`);
      if (security.length === 0) unsecured.push(operationId);
      for (const scheme of security.flatMap((one) => Object.keys(one))) assert.ok(schemes.has(scheme), name);
      if (security.length > 0) assert.ok('401' in responses, `${name} declares 401`);
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
    assert.deepEqual(unsecured.toSorted(), open.toSorted(), 'operations without a credential');
  });
});

describe('GET /openapi.json: webhooks', () => {
  test('describes the delivery of each event type, with the headers of its signature', () => {
    const webhooks: Record<string, { post: Operation }> = withoutReferences(document).webhooks;
    assert.deepEqual(Object.keys(webhooks), [
      ...document.components.schemas.WebhookEventType.enum,
      'webhook.test',
    ]);
    for (const [type, { post }] of Object.entries(webhooks)) {
      assert.deepEqual(post.tags, ['Webhooks'], type);
      assert.match(post.summary!, /^Receive a /, type);
      assert.deepEqual(
        post.parameters!.map(({ name, in: place, required, example }) => [
          name,
          place,
          required,
          typeof example,
        ]),
        ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
          name,
          'header',
          true,
          'string',
        ]),
      );
    }
  });
});

/** Every schema of the document, subschemas included, with its path. */
function* schemasOf(value: unknown, path = '#'): Generator<[path: string, schema: Record<string, unknown>]> {
  if (value === null || typeof value !== 'object') return;
  for (const [name, item] of Object.entries(value)) {
    if (name === 'schema') yield* subschemas(item, `${path}/schema`);
    else yield* schemasOf(item, `${path}/${name}`);
  }
}

function* subschemas(
  schema: unknown,
  path: string,
): Generator<[path: string, schema: Record<string, unknown>]> {
  if (schema === null || typeof schema !== 'object') return;
  const object = schema as Record<string, unknown>;
  yield [path, object];
  const named = Object.entries(object['properties'] ?? {});
  for (const [name, member] of named) yield* subschemas(member, `${path}/${name}`);
  for (const name of ['items', 'additionalProperties']) yield* subschemas(object[name], `${path}/${name}`);
  for (const name of ['anyOf', 'oneOf', 'allOf'])
    for (const choice of (object[name] ?? []) as unknown[]) yield* subschemas(choice, `${path}/${name}`);
}

describe('GET /openapi.json: common parts', () => {
  test('uses only standard keywords and formats in schemas', () => {
    const keywords = new Set(
      (
        '$ref additionalProperties anyOf const default description discriminator enum examples format items maximum ' +
        'maxItems maxLength minimum minItems minLength minProperties oneOf pattern properties required type uniqueItems'
      ).split(' '),
    );
    const formats = new Set(['binary', 'date', 'date-time', 'email', 'int64', 'uri', 'uuid']);
    let count = 0;
    for (const [path, schema] of [
      ...schemasOf(document.paths),
      ...schemasOf(document.webhooks),
      ...schemasOf(document.components.headers),
      ...Object.entries(document.components.schemas).flatMap(([name, schema]) => [
        ...subschemas(schema, name),
      ]),
    ]) {
      count++;
      for (const keyword of Object.keys(schema))
        assert.ok(keywords.has(keyword) || keyword.startsWith('x-'), `${path}: ${keyword}`);
      const { format } = schema;
      if (format !== undefined) assert.ok(formats.has(format as string), `${path}: ${String(format)}`);
    }
    assert.ok(count > 1000, `${count} schemas`);
  });

  test('declares 405, 500, X-Request-Id and a description of each response', () => {
    for (const { name, responses } of operations) {
      for (const status of [405, 500]) assert.ok(responses[status], `${name} declares ${status}`);
      assert.ok('Allow' in responses[405]!.headers!, `${name} declares Allow`);
      for (const [status, { description, content, headers }] of Object.entries(responses)) {
        assert.ok(description && description !== 'Default Response', `${name} ${status}: ${description}`);
        assert.ok('X-Request-Id' in (headers ?? {}), `${name} ${status} declares X-Request-Id`);
        if (/^[45]/.test(status))
          assert.deepEqual(Object.keys(content ?? {}), ['application/problem+json'], `${name} ${status}`);
        if (status === '401') assert.ok('WWW-Authenticate' in headers!, `${name} ${status}`);
        if (status === '429' || status === '503') assert.ok('Retry-After' in headers!, `${name} ${status}`);
      }
    }
  });

  test('declares 429 and the RateLimit headers on all operations but health and metrics', () => {
    const headers = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
    const counted = operations.filter(({ name }) => !/\/health\/|\/metrics/.test(name));
    assert.equal(operations.length - counted.length, 3);
    for (const { name, responses } of counted) {
      assert.ok('429' in responses, `${name} declares 429`);
      for (const [status, response] of Object.entries(responses)) {
        if (!/^2|429/.test(status)) continue;
        for (const header of headers)
          assert.ok(header in (response.headers ?? {}), `${name} ${status} ${header}`);
      }
    }
  });
});

test('GET /metrics counts requests to unknown paths', async () => {
  await app.http.get('/nothing');
  const { text, status } = await app.http.get('/metrics');
  assert.equal(status, 200);
  assert.match(text, /guildhall_http_request_duration_seconds_count\{operation="unknown",status="404"\} \d/);
});

test('the health endpoints and the public keys respond', async () => {
  for (const path of ['/health/live', '/health/ready'])
    assert.deepEqual((await app.http.get(path)).body, { status: 'ok' });
  const keys = await app.http.get('/.well-known/jwks.json');
  assert.match(keys.headers.get('cache-control') ?? '', /max-age/);
  assert.equal(keys.body.keys.length, 1);
});

test('GET /openapi.json: lets callers omit parameters with a default', () => {
  const standard = operations
    .flatMap(({ parameters = [] }) => parameters)
    .filter(({ schema }) => 'default' in schema);
  assert.ok(standard.length > 30);
  for (const { name, required } of standard) assert.ok(!required, name);
});

test('GET /openapi.json: states the limits of keys, values and wallet addresses', () => {
  const limits = (schema: string, member: string) => {
    const { minLength, maxLength, pattern } = document.components.schemas[schema].properties[member];
    return { minLength, maxLength, pattern };
  };
  for (const [schema, member, minLength, maxLength, pattern] of [
    ['CreateEventDefinitionRequest', 'eventKey', 1, 32],
    ['CreateEventDefinitionRequest', 'eventValue', undefined, 32],
    ['CreateWalletRecordRequest', 'key', 1, 32],
    ['CreateWalletRecordRequest', 'value', undefined, 32],
    ['MatchEvent', 'idempotencyKey', 1, 64],
    ['CreateWalletPlayerRequest', 'playerAddress', undefined, undefined, '^0x[0-9a-fA-F]{40}$'],
  ] as const)
    assert.deepEqual(limits(schema, member), { minLength, maxLength, pattern }, `${schema}.${member}`);
});

test('GET /openapi.json: lets callers omit a body that the server does not need', () => {
  const optional = operations.filter(({ requestBody }) => requestBody?.required === false);
  const names = optional.map(({ operationId }) => operationId);
  for (const name of ['enrollAccountTotp', 'forcePlayerLogout', 'rotateGameKey', 'setPrimaryAuthMethod'])
    assert.ok(names.includes(name), name);
});

describe('GET /openapi.json: names', () => {
  const COMPONENT = /^#\/components\/schemas\/[A-Z][A-Za-z]+$/;

  test('names the schema of each JSON body', () => {
    let count = 0;
    for (const [path, { content }] of objectsOf({
      ...document.paths,
      ...document.webhooks,
      ...document.components.responses,
    })) {
      for (const [type, { schema }] of Object.entries(
        (content ?? {}) as Record<string, { schema: Record<string, string> }>,
      )) {
        if (!type.endsWith('json')) continue;
        // Newline-delimited JSON is a text.
        if (schema['type'] === 'string') continue;
        count++;
        assert.match(schema['$ref'] ?? '', COMPONENT, `${path} ${type}`);
      }
    }
    assert.ok(count > 150, `${count} bodies`);
  });

  test('gives the format int64 to integers above 32 bits, so that generated clients do not fail on them', () => {
    const large = new Set<string | undefined>();
    for (const [path, { type, format, minimum = 0, maximum = 0 }] of [
      ...schemasOf(document.paths),
      ...Object.entries(document.components.schemas).flatMap(([name, schema]) => [
        ...subschemas(schema, name),
      ]),
    ]) {
      const isLarge = Math.max(Math.abs(minimum as number), maximum as number) > 2 ** 31;
      if (isLarge) assert.equal(format, 'int64', path);
      if (format === 'int64' && [type].flat().includes('integer')) large.add(path.split('/').at(-1));
    }
    for (const name of [
      'bytesIn',
      'bytesOut',
      'limit',
      'observed',
      'score',
      'threshold',
      'units',
      'used',
      'valueSum',
    ])
      assert.ok(large.has(name), name);
  });

  test('names each object with members, so that generated clients have good type names', () => {
    for (const [name, schema] of Object.entries(document.components.schemas))
      for (const [path, { properties }] of subschemas(schema, name))
        assert.ok(path === name || !properties, `${path} has a title`);
  });

  test('describes the members of each object, except where any member is allowed', () => {
    const isEmpty = (members: unknown) => Object.keys(Object(members ?? {}) as object).length === 0;
    const free = new Set<string | undefined>();
    for (const [name, schema] of Object.entries(document.components.schemas))
      for (const [path, { type, properties, additionalProperties }] of subschemas(schema, name))
        if ([type].flat().includes('object') && isEmpty(properties) && isEmpty(additionalProperties))
          free.add(path.split('/').at(-1));
    assert.deepEqual([...free].toSorted(), ['body', 'data', 'details', 'metadata']);
  });

  test('describes the members that some errors have, and the header of a deletion', () => {
    const { Problem, ExceededQuota, ProblemItem } = document.components.schemas;
    assert.equal(Problem.properties.quota.$ref, '#/components/schemas/ExceededQuota');
    assert.deepEqual(Object.keys(ExceededQuota.properties), ['limit', 'used', 'periodStart', 'periodEnd']);
    for (const member of ['path', 'message', 'index', 'playerId', 'matchPlayerId', 'statusCode', 'error'])
      assert.ok(ProblemItem.properties[member], member);
    for (const path of ['/api/player-profile/me', '/api/admin/players/{playerId}'])
      assert.ok(document.paths[path].delete.responses[204].headers['X-Deletion-Receipt'], path);
  });

  test('uses one verb for one thing in all operation ids, in American spelling', () => {
    const verbs = new Set(
      (
        'accept ban cancel confirm create delete disable end enroll export finish force get import ingest invite join leave lift link ' +
        'list log mark merge query record redeliver refresh remove request resend reset revoke rotate send set sign start stream test ' +
        'unlink update upload validate verify withdraw'
      ).split(' '),
    );
    // A body or several ids are too much for the URL of a GET.
    const readsByPost = new Set([
      'getPlayerByProvider',
      'getPlayerProfiles',
      'getTenantPlayers',
      'getInvitation',
    ]);
    for (const { operationId = '', name } of operations) {
      const [verb = ''] = /^[a-z]+/.exec(operationId) ?? [];
      assert.ok(verbs.has(verb), `${name}: ${operationId}`);
      const isRead = verb === 'get' || verb === 'list';
      if (isRead && !readsByPost.has(operationId)) assert.match(name, /^GET /, operationId);
      if (name.startsWith('PATCH ')) assert.equal(verb, 'update', operationId);
      assert.doesNotMatch(operationId, /[iy]se(?![a-z])|olment/, operationId);
    }
  });

  test('allows null for optional values of a request, so that C# clients do not send false, 0 or the first choice', () => {
    interface Member {
      type?: string | string[];
      enum?: unknown[];
      oneOf?: Member[];
    }
    const allowsNull = ({ type, oneOf = [] }: Member): boolean =>
      type === 'null' || type?.includes('null') || oneOf.some(allowsNull);
    const isValue = ({ type, enum: values, oneOf = [] }: Member): boolean =>
      values !== undefined || /boolean|integer|number/.test(String(type)) || oneOf.some(isValue);
    let count = 0;
    for (const { name, requestBody } of operations)
      for (const [path, schema] of subschemas(requestBody?.content['application/json']?.schema, name)) {
        const { properties = {}, required = [] } = schema as {
          properties?: Record<string, Member>;
          required?: string[];
        };
        for (const [member, value] of Object.entries(properties)) {
          if (required.includes(member) || !isValue(value)) continue;
          // A 64-bit integer may also be a string, which has no value of its own in C#.
          if (value.type === undefined && !value.oneOf) continue;
          count++;
          assert.ok(allowsNull(value), `${path}.${member} may be null`);
        }
      }
    assert.ok(count > 30, `${count} optional values`);
  });
});

describe('GET /openapi.json: examples', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat('binary', true);
  // The schemas of the components are compiled once.
  ajv.addSchema({ $id: 'document', components: document.components });
  const inDocument = (schema: unknown) =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;

  test('shows an example of each request and response that is valid by its schema', () => {
    let count = 0;
    for (const [path, { content }] of objectsOf({
      ...document.paths,
      ...document.webhooks,
      ...document.components.responses,
    })) {
      const media = Object.entries((content ?? {}) as Record<string, { schema: object; example?: unknown }>);
      for (const [type, { schema, example }] of media) {
        // An image has no example as a text.
        if (type.startsWith('image/')) continue;
        count++;
        assert.notEqual(example, undefined, `${path} ${type}`);
        assert.ok(ajv.validate(inDocument(schema), example), `${path} ${type}: ${ajv.errorsText()}`);
      }
    }
    assert.ok(count > 200, `${count} examples`);
  });

  test('shows a valid example of each required parameter', () => {
    let count = 0;
    for (const { name, parameters = [] } of operations)
      for (const { name: parameter, required, schema, example } of parameters) {
        if (!required) continue;
        count++;
        assert.ok(ajv.validate(schema, example), `${name} ${parameter}: ${ajv.errorsText()}`);
      }
    assert.ok(count > 100, `${count} parameters`);
  });
});

test('GET /llms.txt lists each operation and each event of webhooks', async () => {
  const { text, headers } = await app.http.get('/llms.txt');
  assert.match(headers.get('content-type') ?? '', /^text\/plain/);
  assert.match(text, /^# Guildhall\n/);
  for (const { name, operationId, summary } of operations)
    assert.ok(text.includes(`: ${summary} (${operationId})\n`), name);
  const events = document.webhooks as Record<string, { post: { operationId: string; summary: string } }>;
  for (const [type, { post }] of Object.entries(events))
    assert.ok(text.includes(`- Event ${type}: ${post.summary} (${post.operationId})\n`), type);
});
