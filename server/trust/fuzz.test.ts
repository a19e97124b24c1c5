import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { Answer } from '../src/testing/http-client.ts';
import { createRequests } from './requests.ts';
import {
  addressOf,
  alternativesOf,
  credentialHeaders,
  pickCredentials,
  sendRequest,
  type ValidRequest,
} from './valid-request.ts';
import { optionalMembers, valuesOf, wrongBodies, wrongValuesOf } from './schema-values.ts';
import { arrangeStudio, startWorld, type Operation, type Schema } from './world.ts';

// Requests from the schemas of the OpenAPI document: valid ones are not called malformed, invalid ones are refused, and each answer
// has a declared status, content type and body. `npm run test:fuzz -- --fuzz=10000 --seed=1` sends more, from another seed.

const COUNT = Number(process.env['GUILDHALL_FUZZ'] || 8);
// The short form of `npm test` always makes the same requests. New ones are for the long form, whose failures somebody reads.
const SEED = Number(
  process.env['GUILDHALL_FUZZ_SEED'] || (process.env['GUILDHALL_FUZZ'] ? randomInt(2 ** 31) : 1),
);
const TIMEOUT_MS = 120_000 + COUNT * 2_000;

const world = await startWorld();
const { app, operations } = world;
const requests = await createRequests(world);

/** A workspace may send 120 webhook tests a minute, and has at most 20,000 definitions. A request may send two tests. So others follow. */
const REQUESTS_PER_STUDIO = 50;
let studio = await arrangeStudio(world);
let made = 0;

/** Makes a request of the studio, which an earlier request may have disabled or limited. */
async function make(operation: Operation): Promise<ValidRequest> {
  if (++made % REQUESTS_PER_STUDIO === 0) studio = await arrangeStudio(world);
  const { tenantId, workspaceId } = studio.tenant;
  await app.owner.query('UPDATE tenants SET disabled_at = NULL WHERE id = $1', [tenantId]);
  await app.owner.query('UPDATE provider_settings SET enabled = true WHERE tenant_id = $1', [tenantId]);
  await app.owner.query(
    `UPDATE workspaces SET monthly_units = NULL, hard_stop = DEFAULT, requests_per_minute = DEFAULT, requests_per_hour = DEFAULT,
       max_match_event_records_per_request = DEFAULT, max_player_event_records_per_request = DEFAULT WHERE id = $1`,
    [workspaceId],
  );
  return requests.make(operation, studio);
}

const ajv = new Ajv2020({ strict: false, allErrors: false });
addFormats.default(ajv);
ajv.addFormat('binary', true);
const compiled = new Map<Schema, ValidateFunction>();
const validatorOf = (schema: Schema): ValidateFunction => {
  const validate = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, validate);
  return validate;
};

const counts = { valid: 0, accepted: 0, invalid: 0, other: 0 };
const reached = new Set<string>();
after(() => {
  console.log(
    `fuzz: seed ${SEED}, ${counts.valid} valid requests (${counts.accepted} accepted), ${counts.invalid} invalid ones, ` +
      `${counts.other} with other headers, ${reached.size} of ${operations.length} operations reached a 2xx`,
  );
});

/** Says what is wrong with an answer, or undefined. */
function faultOf(
  { responses, method }: Operation,
  { status, headers, text, body }: Answer,
): string | undefined {
  const declared = responses[status];
  if (status >= 500 || !declared) return `the status ${status}: ${text.slice(0, 300)}`;
  const content = declared.content ?? {};
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (Object.keys(content).length === 0 || method === 'HEAD' || text === '') return undefined;
  const media = content[type] ?? Object.entries(content).find(([name]) => name.startsWith(`${type};`))?.[1];
  if (!media) return `the content type ${type} with the status ${status}`;
  if (!/[/+]json$/.test(type)) return undefined;
  const validate = validatorOf(media.schema);
  return validate(body)
    ? undefined
    : `an undeclared body: ${ajv.errorsText(validate.errors)} in ${text.slice(0, 300)}`;
}

const bodySchemaOf = ({ requestBody }: Operation): Schema | undefined =>
  requestBody?.content['application/json']?.schema;

/**
 * Members and parameters whose values follow rules that no schema can say, so that a random one is a 400. `revokeOld` would end all
 * sessions of the run.
 */
const WITH_RULES =
  /^(code|recoveryCode|revokeOld|groupBy|where|cursor\w*|proof|sourceProof|url|slug|rateLimit|settings|avatarUrl|from|to|bucket|sort|metadata|deviceInfo|clientInfo|until|expiresAt|chainId)$/;

/** A request with random optional members and parameters. */
function validChanges(operation: Operation, base: ValidRequest): fc.Arbitrary<Partial<ValidRequest>> {
  const schema = bodySchemaOf(operation);
  const given = base.body as object | undefined;
  const body =
    schema?.['type'] === 'object' && given && !Array.isArray(given)
      ? valuesOf(withoutRules(optionalMembers(schema, given))).map((more) => ({
          ...(more as object),
          ...given,
        }))
      : fc.constant(base.body);
  const parameters = (operation.parameters ?? []).filter(
    ({ name, in: place }) => place === 'query' && !(name in base.query) && !WITH_RULES.test(name),
  );
  const query = fc
    .record(Object.fromEntries(parameters.map(({ name, schema }) => [name, valuesOf(schema)])), {
      requiredKeys: [],
    })
    .map((more) => ({
      ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name, String(value)])),
      ...base.query,
    }));
  return fc.record({ body, query });
}

function withoutRules(schema: Schema): Schema {
  const members = Object.entries(schema['properties'] as Record<string, Schema>);
  return { ...schema, properties: Object.fromEntries(members.filter(([name]) => !WITH_RULES.test(name))) };
}

describe('valid requests', () => {
  after(() =>
    assert.deepEqual(
      operations.map(({ operationId }) => operationId).filter((id) => !reached.has(id)),
      [],
      'every operation reaches a 2xx',
    ),
  );
  for (const operation of operations)
    test(
      `${operation.operationId} does not call a valid request malformed`,
      { timeout: TIMEOUT_MS },
      async () => {
        const sample = await make(operation);
        const plain = await sendRequest(world, operation, sample);
        counts.valid++;
        assert.ok(plain.status < 300, plain.text);
        assert.equal(faultOf(operation, plain), undefined);
        counts.accepted++;
        reached.add(operation.operationId);
        await fc.assert(
          fc.asyncProperty(validChanges(operation, { ...sample, body: sample.body }), async (changes) => {
            const base = await make(operation);
            const body =
              base.body === undefined || base.body instanceof FormData
                ? base.body
                : { ...(changes.body as object), ...(base.body as object) };
            const answer = await sendRequest(world, operation, {
              ...base,
              query: { ...changes.query, ...base.query },
              body,
            });
            counts.valid++;
            if (answer.status < 300) {
              counts.accepted++;
              reached.add(operation.operationId);
            }
            assert.equal(faultOf(operation, answer), undefined);
            assert.ok(![400, 413, 415].includes(answer.status), `${answer.status} ${answer.text}`);
          }),
          { seed: SEED, numRuns: Math.max(1, Math.ceil(COUNT / 4) - 1), endOnFailure: true },
        );
      },
    );
});

describe('invalid requests', () => {
  for (const operation of operations)
    test(`${operation.operationId} refuses an invalid request`, { timeout: TIMEOUT_MS }, async () => {
      const base = await make(operation);
      const wrong = wrongRequests(operation, base);
      if (wrong.length === 0) return;
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...wrong), async ([, request]) => {
          const answer = await sendRequest(world, operation, request);
          counts.invalid++;
          assert.equal(faultOf(operation, answer), undefined);
          assert.ok(answer.status >= 400, `${answer.status} ${answer.text}`);
        }),
        { seed: SEED, numRuns: COUNT, endOnFailure: true },
      );
    });
});

/** A body as the server reads it: it ignores members that could change a prototype (docs/api-conventions.md). */
const withoutPrototypes = (body: unknown): unknown =>
  body === undefined
    ? undefined
    : JSON.parse(JSON.stringify(body), (name, value) =>
        name === '__proto__' || name === 'constructor' ? undefined : value,
      );

/** Requests that the document does not allow, with what is wrong. */
function wrongRequests(operation: Operation, base: ValidRequest): [what: string, request: ValidRequest][] {
  const schema = bodySchemaOf(operation);
  const bodies = schema
    ? wrongBodies(schema, base.body)
        .filter(([, body]) => !validatorOf(schema)(withoutPrototypes(body)))
        .map(([what, body]): [string, ValidRequest] => [what, { ...base, body }])
    : [];
  const parameters = (operation.parameters ?? []).filter(({ in: place }) => place !== 'header');
  const inAddress = parameters.flatMap(({ name, in: place, schema }) =>
    wrongValuesOf(schema)
      .filter(([, value]) => ['string', 'number'].includes(typeof value) && !isAllowed(schema, String(value)))
      .map(([what, value]): [string, ValidRequest] => {
        const part = place as 'path' | 'query';
        return [`${place}.${name} is ${what}`, { ...base, [part]: { ...base[part], [name]: String(value) } }];
      }),
  );
  // A lone surrogate cannot be sent in an address, and an empty part of a path is another path.
  return [
    ...bodies,
    ...inAddress.filter(([what]) => !what.endsWith('half a character') && !/^path.*empty text$/.test(what)),
  ];
}

/** Values in addresses are texts: a number may be one of the allowed. */
function isAllowed(schema: Schema, text: string): boolean {
  const validate = validatorOf(schema);
  return [text, ...(/\S/.test(text) ? [Number(text)] : [])].some((value) => validate(value));
}

const BODIES: [what: string, body: string | Buffer][] = [
  ['half an object', '{"a":'],
  ['a bare word', 'x'],
  ['two values', '{} {}'],
  ['NaN', 'NaN'],
  ['10,000 lists', '['.repeat(10_000)],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['UTF-16', Buffer.from('{"a": 1}', 'utf16le')],
];

/** Content types and encodings, with a body that is JSON. */
const CONTENT: Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'multipart/form-data' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-type': 'application/json\t' },
  { 'content-type': 'APPLICATION/JSON' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'application/json, text/plain' },
  { 'content-type': 'application/xml' },
  { 'content-type': '/' },
  { 'content-type': '' },
  { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  { 'content-type': 'application/json', 'content-encoding': 'br, gzip' },
];

/** Headers that a request may have. None of them changes what the request does. */
const HEADERS: Record<string, string>[] = [
  { accept: 'application/xml' },
  { accept: '*/*;q=0, x' },
  { 'accept-encoding': 'x, *;q=0' },
  { 'x-request-id': "' OR 1=1" },
  { 'x-request-id': 'x'.repeat(2000) },
  { 'x-http-method-override': 'DELETE' },
  { 'x-original-url': '/api/admin/outbox' },
  { origin: 'null' },
  { range: 'bytes=0-0' },
  { 'if-none-match': '*' },
  { 'x-forwarded-for': 'no address, 999.1.1.1' },
  { 'x-forwarded-proto': 'javascript' },
  { traceparent: '00-zz-zz-00' },
  { cookie: '__proto__=1; a' },
  { 'last-event-id': '../..' },
  { 'idempotency-key': 'short' },
  { 'x-identity-proof': '%%%' },
];

/** As many of a list as each operation gets, from another place for each operation. */
function some<Item>(list: Item[]): Item[] {
  const first = place++;
  return list.filter((_, index) => (index + first) % list.length < COUNT / 4);
}

let place = SEED;

describe('other content types, encodings, bodies and headers', () => {
  for (const operation of operations)
    test(`${operation.operationId} has a declared answer to each`, { timeout: TIMEOUT_MS }, async () => {
      const base = await make(operation);
      const faults: string[] = [];
      const check = (what: string, answer: Answer, mayAccept: boolean) => {
        counts.other++;
        const fault = faultOf(operation, answer);
        if (fault) faults.push(`${what}: ${fault}`);
        else if (!mayAccept && answer.status < 300) faults.push(`${what}: ${answer.status}`);
      };
      const { credentials: _, ...rest } = base;
      const isStream = operation.operationId === 'streamNotifications';
      const raw = (body: string | Buffer | undefined, headers: Record<string, string>) =>
        app.http.raw(operation.method, addressOf(operation, base), body, {
          headers: { ...rest.headers, ...credentialsOf(operation, base), ...headers },
        });
      if (operation.method !== 'GET') {
        const json = JSON.stringify(base.body ?? {});
        for (const headers of some(CONTENT)) check(JSON.stringify(headers), await raw(json, headers), true);
        // Without a declared body, none is read.
        const readsBody = operation.requestBody !== undefined;
        for (const [what, body] of some(BODIES))
          check(what, await raw(body, { 'content-type': 'application/json' }), !readsBody);
      }
      if (!isStream)
        for (const headers of some(HEADERS))
          check(JSON.stringify(headers), await raw(undefined, headers), true);
      assert.deepEqual(faults, []);
    });
});

function credentialsOf(operation: Operation, request: ValidRequest): Record<string, string> {
  return credentialHeaders(pickCredentials(request, alternativesOf(operation)[0]!));
}
