import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { alternativesOf, type SchemeName, type ValidRequest } from '../valid-request.ts';
import type { Operation, Schema } from '../world.ts';
import { memberOf, valuesOf, webAddresses, type ByName } from './values.ts';

const DAY_MS = 86_400_000;

/** Times between two numbers of days from now. */
const daysFromNow = (min: number, max: number) =>
  fc
    .integer({ min: min * DAY_MS, max: max * DAY_MS })
    .map((distance) => new Date(Date.now() + distance).toISOString());

const isHourOrLonger = (bucket: unknown) => bucket !== 'minute';

/**
 * Members whose values follow rules that no schema can say. Null: the value refers to something that exists, or is only allowed together
 * with another member.
 */
const RULES: Record<string, fc.Arbitrary<unknown> | null> = {
  until: daysFromNow(1, 300),
  expiresAt: daysFromNow(1, 300),
  minimumValue: fc.integer({ min: -1000, max: 0 }),
  maximumValue: fc.integer({ min: 0, max: 1000 }),
  url: webAddresses,
  avatarUrl: webAddresses,
  slug: fc.stringMatching(/^[a-z0-9]{1,12}(-[a-z0-9]{1,12}){0,3}$/),
  metadata: fc.dictionary(fc.stringMatching(/^[a-z]{1,12}$/), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 }),
  rateLimit: fc
    .tuple(fc.integer({ min: 1, max: 60_000 }), fc.integer({ min: 0, max: 1_000_000 }))
    .map(([perMinute, more]) => ({ perMinute, perHour: perMinute + more })),
  chainId: fc.constant(1),
  // The provider of the request has no settings.
  settings: fc.constant({}),
  // It would end all sessions of the run.
  revokeOld: fc.constant(false),
  code: null,
  recoveryCode: null,
  matchSessionId: null,
  proof: null,
  sourceProof: null,
  cursor: null,
  cursorTimestamp: null,
  cursorId: null,
};

/** Control characters, line separators, and characters that change the direction of the text around them. */
const NOT_IN_NAMES = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

export const byRules: ByName = (name, schema) => {
  if (name === 'name' || name === 'displayName')
    return valuesOf(schema).map((text) =>
      typeof text === 'string' ? text.replaceAll(NOT_IN_NAMES, 'x') : text,
    );
  // A range must not be empty or have too many buckets. A ledger has numbers instead of times.
  if (name === 'from' && schema['type'] !== 'integer') return daysFromNow(-6, -1);
  if (name === 'to') return daysFromNow(0, 1);
  if (name === 'bucket' || name === 'groupBy') return withoutSome(schema);
  return name in RULES ? RULES[name]! : undefined;
};

/** A range of weeks has too many minutes, and player events have no match. */
function withoutSome(schema: Schema): fc.Arbitrary<unknown> {
  const only = ({ enum: choices, ...rest }: Schema): Schema => ({
    ...rest,
    ...(choices && {
      enum: (choices as unknown[]).filter((item) => isHourOrLonger(item) && item !== 'matchSessionId'),
    }),
  });
  const { items, oneOf } = schema;
  return valuesOf({
    ...only(schema),
    ...(items && { items: only(items as Schema) }),
    ...(oneOf && { oneOf: (oneOf as Schema[]).map(only) }),
  });
}

/** Members that a random value may replace, although the request has them. Other members refer to something that exists. */
const FREE =
  /^(name|displayName|description|text|note|reason|device|deviceName|startTime|level|score|newScore|key|value|winLoss|matchPosition|placement|outcome|eventKey|eventValue|idempotencyKey|occurredAt|mode|enabled|isActive|autoCreate|role|tenantRole|profileVisibility|rateLimitPerMinute|newPassword|limit|pageSize)$/;

/** Stands for the value of the request. */
const KEEP = Symbol('keep');

/** What a request may have instead of its own values. */
export interface Variation {
  credentials: SchemeName[];
  query: Record<string, unknown>;
  body: unknown;
}

/** Variations of the body and query of an operation that are as valid as the sample. */
export function variationsOf(operation: Operation, sample: ValidRequest): fc.Arbitrary<Variation> {
  const parameters = (operation.parameters ?? []).filter(({ in: place }) => place === 'query');
  const query = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  const required = parameters.filter(({ required }) => required).map(({ name }) => name);
  const body = operation.requestBody?.content['application/json']?.schema;
  const usable = alternativesOf(operation).filter((schemes) =>
    schemes.every((scheme) => sample.credentials[scheme] !== undefined),
  );
  return fc.record({
    credentials: fc.constantFrom(...usable),
    query: variationsOfValue({ type: 'object', properties: query, required }, sample.query) as fc.Arbitrary<
      Record<string, unknown>
    >,
    body: body ? variationsOfValue(body, sample.body) : fc.constant(KEEP),
  });
}

function variationsOfValue(schema: Schema, given: unknown): fc.Arbitrary<unknown> {
  const { properties, items, required = [] } = schema;
  if (Array.isArray(given) && items)
    return fc.tuple(...given.map((item) => variationsOfValue(items as Schema, item)));
  if (!properties || given === null || typeof given !== 'object') return fc.constant(KEEP);
  const members: Record<string, fc.Arbitrary<unknown>> = {};
  const kept: string[] = [];
  for (const [name, member] of Object.entries(properties as Record<string, Schema>)) {
    const own = (given as Record<string, unknown>)[name];
    const values = memberOf(name, member, byRules);
    if (own === undefined && values) members[name] = withNull(values);
    if (own === undefined) continue;
    kept.push(name);
    members[name] =
      FREE.test(name) && values
        ? fc.oneof(fc.constant(KEEP), values)
        : typeof own === 'object'
          ? variationsOfValue(member, own)
          : fc.constant(KEEP);
  }
  // An optional member that was free to be missing.
  const requiredKeys = kept.filter((name) => (required as string[]).includes(name) || !FREE.test(name));
  return fc.record(members, { requiredKeys });
}

/** A null for an optional member means the same as leaving it out (docs/api-conventions.md). */
const withNull = (values: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: values }, { weight: 1, arbitrary: fc.constant(null) });

/** Applies a variation to a request of the same operation. */
export function vary(request: ValidRequest, { query, body }: Omit<Variation, 'credentials'>): ValidRequest {
  const texts = Object.entries(replaced(query, request.query) as Record<string, unknown>)
    // A parameter of a query cannot be null.
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [name, String(value)]);
  const headers = { ...request.headers };
  // A repeated key gets the first answer again.
  if (headers['idempotency-key']) headers['idempotency-key'] = randomUUID();
  return { ...request, headers, query: Object.fromEntries(texts), body: replaced(body, request.body) };
}

function replaced(change: unknown, own: unknown): unknown {
  if (change === KEEP) return own;
  if (own === null || typeof own !== 'object' || change === null || typeof change !== 'object') return change;
  if (Array.isArray(change)) return change.map((item, index) => replaced(item, (own as unknown[])[index]));
  return Object.fromEntries(
    Object.entries(change).map(([name, item]) => [
      name,
      replaced(item, (own as Record<string, unknown>)[name]),
    ]),
  );
}
