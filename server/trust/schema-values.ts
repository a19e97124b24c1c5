import fc from 'fast-check';
import type { Schema } from './world.ts';

const MOST_ITEMS = 3;
const MOST_LETTERS = 40;

/** Texts without white space at their ends, because names and keys are trimmed. */
function texts({ minLength = 0, maxLength = MOST_LETTERS, pattern, format }: Schema): fc.Arbitrary<unknown> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'email') return fc.stringMatching(/^[a-z0-9]{1,20}$/).map((name) => `${name}@example.com`);
  if (format === 'uri')
    return fc.stringMatching(/^[a-z0-9]{1,20}$/).map((name) => `https://${name}.example.com/`);
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
  const most = Math.min(maxLength, Math.max(minLength, MOST_LETTERS));
  return fc
    .array(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }), { minLength, maxLength: most })
    .map((letters) =>
      letters.map((letter, index) => (index === 0 || index === letters.length - 1 ? 'x' : letter)).join(''),
    );
}

/** Values that a schema allows. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema['const'] !== undefined) return fc.constant(schema['const']);
  if (schema['enum']) return fc.constantFrom(...(schema['enum'] as unknown[]));
  const choices = (schema['oneOf'] ?? schema['anyOf']) as Schema[] | undefined;
  if (choices) return fc.oneof(...choices.map(valuesOf));
  if (Array.isArray(schema['type']))
    return fc.oneof(...(schema['type'] as string[]).map((type) => valuesOf({ ...schema, type })));
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
      const items = valuesOf((schema['items'] as Schema | undefined) ?? { type: 'string' });
      const limits = { minLength: least, maxLength };
      return schema['uniqueItems'] ? fc.uniqueArray(items, limits) : fc.array(items, limits);
    }
    case 'object':
      return objectsOf(schema);
    default:
      return fc.oneof(fc.string({ unit: 'grapheme-ascii' }), fc.integer(), fc.boolean());
  }
}

function objectsOf({
  properties,
  required = [],
  minProperties = 0,
  additionalProperties,
}: Schema): fc.Arbitrary<unknown> {
  if (!properties)
    return additionalProperties === false
      ? fc.constant({})
      : fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), valuesOf((additionalProperties as Schema) || {}), {
          maxKeys: 3,
        });
  const members = Object.entries(properties as Record<string, Schema>);
  return fc
    .record(Object.fromEntries(members.map(([name, member]) => [name, valuesOf(member)])), {
      requiredKeys: required as string[],
    })
    .filter((object) => Object.keys(object).length >= (minProperties as number));
}

/** The optional members of an object that a request does not have yet. */
export function optionalMembers(schema: Schema, given: object): Schema {
  const members = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).filter(
    ([name]) => !(name in given) && !((schema['required'] ?? []) as string[]).includes(name),
  );
  return { type: 'object', properties: Object.fromEntries(members) };
}

/** Values that break a schema in one way, with the name of the way. */
export function wrongValuesOf(schema: Schema): [what: string, value: unknown][] {
  const wrong: [string, unknown][] = [
    ['a list', [[]]],
    ['an object', { toString: 1 }],
    ['a number', -1.5],
    ['a boolean', true],
    ['null', null],
    ['an empty text', ''],
    ['NUL', 'a\0b'],
    ['half a character', '\ud800'],
    ['a huge number', 1e300],
    ['a number as a text', '5'],
    ['a template', '${7*7}{{7*7}}'],
    ['SQL', "' OR 1=1; --"],
    ['no date', '2026-02-30T25:00:00Z'],
    ['a date without an offset', '2026-02-01T00:00:00'],
    ['a long text', 'x'.repeat(9000)],
    ['a prototype', JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": 1}')],
  ];
  const { minimum, maximum, maxLength, minLength, maxItems, minItems, items } = schema;
  if (minimum !== undefined) wrong.push(['below the minimum', (minimum as number) - 1]);
  if (maximum !== undefined) wrong.push(['above the maximum', (maximum as number) + 1]);
  if (maxLength !== undefined) wrong.push(['one letter too long', 'x'.repeat((maxLength as number) + 1)]);
  if (minLength) wrong.push(['one letter too short', 'x'.repeat((minLength as number) - 1)]);
  if (minItems) wrong.push(['too few items', []]);
  if (maxItems !== undefined && (maxItems as number) < 2000)
    wrong.push(['too many items', Array.from({ length: (maxItems as number) + 1 }, () => null)]);
  if (items) wrong.push(['a wrong item', [{ x: 1 }]]);
  return wrong;
}

/**
 * Every change of a body that may break its schema: of each member, and of each member of its first items. A null for an optional
 * member is like no member, so it breaks nothing.
 */
export function wrongBodies(schema: Schema, body: unknown): [what: string, body: unknown][] {
  const found: [string, unknown][] = [];
  const walk = (
    part: Schema,
    value: unknown,
    place: string,
    put: (value: unknown) => unknown,
    isRequired = true,
  ): void => {
    for (const [what, wrong] of wrongValuesOf(part))
      if (wrong !== null || isRequired) found.push([`${place} is ${what}`, put(wrong)]);
    if (Array.isArray(value) && part['items'])
      return value.length > 0
        ? walk(part['items'] as Schema, value[0], `${place}.0`, (item) => put([item, ...value.slice(1)]))
        : undefined;
    if (value === null || typeof value !== 'object') return;
    const object = value as Record<string, unknown>;
    for (const name of (part['required'] ?? []) as string[]) {
      const { [name]: _, ...rest } = object;
      found.push([`${place}.${name} is missing`, put(rest)]);
    }
    for (const [name, member] of Object.entries((part['properties'] ?? {}) as Record<string, Schema>))
      walk(
        member,
        object[name],
        `${place}.${name}`,
        (item) => put({ ...object, [name]: item }),
        ((part['required'] ?? []) as string[]).includes(name),
      );
  };
  walk(schema, body, 'body', (value) => value, (schema['required'] ?? []).length > 0);
  return found;
}
