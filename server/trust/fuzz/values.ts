import fc from 'fast-check';
import type { Schema } from '../world.ts';

const MOST_ITEMS = 3;
const MOST_LETTERS = 40;

/** Letters of one code point each that programs often handle badly. All of them are valid. */
const UNUSUAL_LETTERS = [
  ...'éßİıǅﬁµΩ漢字עם٣',
  ...'\u0301\u200d\u202e\u2066\u00ad\u2028\ufeff\ufffd\u{1f9ca}\u{10ffff}',
  ...`"'\\/<>&%;$\u0001\u007f`,
];
const letters = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.constantFrom(...UNUSUAL_LETTERS) },
);

/** Texts without white space at their ends, because names and keys are trimmed. */
function texts({ minLength = 0, maxLength = Infinity, pattern, format }: Schema): fc.Arbitrary<unknown> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'email') return fc.stringMatching(/^[a-z0-9]{1,20}$/).map((name) => `${name}@example.com`);
  if (format === 'uri') return webAddresses;
  if (format === 'date') return fc.constant('2026-11-20');
  if (format === 'date-time')
    return fc
      .date({
        min: new Date('2026-01-01T00:00:00Z'),
        max: new Date('2026-11-22T00:00:00Z'),
        noInvalidDate: true,
      })
      .map((date) => date.toISOString());
  if (pattern) return fc.stringMatching(new RegExp(pattern, 'u')).filter((text) => text.length <= maxLength);
  const most = Math.min(maxLength as number, Math.max(minLength as number, MOST_LETTERS));
  return fc
    .array(letters, { minLength, maxLength: most })
    .map((parts) =>
      parts.map((letter, index) => (index === 0 || index === parts.length - 1 ? 'x' : letter)).join(''),
    );
}

/** Public addresses of the web. */
export const webAddresses = fc
  .stringMatching(/^[a-z0-9]{1,20}$/)
  .map((name) => `https://${name}.example.com/`);

/** The values of a member that follow more rules than its schema. Null if a valid one cannot be generated. */
export type ByName = (name: string, schema: Schema) => fc.Arbitrary<unknown> | null | undefined;

/** Values that a schema allows. Members for which `byName` returns null are left out. */
export function valuesOf(schema: Schema, byName: ByName = () => undefined): fc.Arbitrary<unknown> {
  if (schema['const'] !== undefined) return fc.constant(schema['const']);
  if (schema['enum']) return fc.constantFrom(...(schema['enum'] as unknown[]));
  const choices = (schema['oneOf'] ?? schema['anyOf']) as Schema[] | undefined;
  if (choices) return fc.oneof(...choices.map((choice) => valuesOf(choice, byName)));
  if (Array.isArray(schema['type']))
    return fc.oneof(...(schema['type'] as string[]).map((type) => valuesOf({ ...schema, type }, byName)));
  switch (schema['type']) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({
        min: schema['minimum'] ?? -(2 ** 31),
        max: Math.min(schema['maximum'] ?? 2 ** 31 - 1, 2 ** 31 - 1),
      });
    case 'number':
      return fc.integer({ min: schema['minimum'] ?? -1000, max: schema['maximum'] ?? 1000 });
    case 'string':
      return schema['format'] === 'int64'
        ? fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)
        : texts(schema);
    case 'array': {
      const least = (schema['minItems'] as number | undefined) ?? 0;
      const maxLength = Math.max(
        least,
        Math.min((schema['maxItems'] as number | undefined) ?? MOST_ITEMS, MOST_ITEMS),
      );
      const items = valuesOf((schema['items'] as Schema | undefined) ?? { type: 'string' }, byName);
      const limits = { minLength: least, maxLength };
      return schema['uniqueItems'] ? fc.uniqueArray(items, limits) : fc.array(items, limits);
    }
    case 'object':
      return objectsOf(schema, byName);
    default:
      return fc.oneof(fc.string({ unit: 'grapheme-ascii' }), fc.integer(), fc.boolean());
  }
}

function objectsOf(
  { properties, required = [], minProperties = 0, additionalProperties }: Schema,
  byName: ByName,
): fc.Arbitrary<unknown> {
  if (!properties)
    return additionalProperties === false
      ? fc.constant({})
      : fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), valuesOf((additionalProperties as Schema) || {}), {
          maxKeys: 3,
        });
  const members = Object.entries(properties as Record<string, Schema>)
    .map(([name, member]) => [name, memberOf(name, member, byName)] as const)
    .filter(([, values]) => values !== null);
  return fc
    .record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, {
      requiredKeys: (required as string[]).filter((name) => members.some(([given]) => given === name)),
    })
    .filter((object) => Object.keys(object).length >= (minProperties as number));
}

/** The values of a member. Null if a valid one cannot be generated. */
export function memberOf(name: string, schema: Schema, byName: ByName): fc.Arbitrary<unknown> | null {
  const special = byName(name, schema);
  return special === undefined ? valuesOf(schema, byName) : special;
}
