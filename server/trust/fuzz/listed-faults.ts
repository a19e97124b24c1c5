import type { ValidRequest } from '../valid-request.ts';
import type { Operation, Schema } from '../world.ts';
import { bodySchemaOf } from './invalid-requests.ts';
import type { Fault } from './wire-request.ts';

/** Each value that breaks the schema of a member or of a parameter in one way, and each required member left out. */
export function listedFaults(operation: Operation, { body }: ValidRequest): Fault[] {
  const schema = bodySchemaOf(operation);
  const bodies = schema ? wrongBodies(schema, body) : [];
  return [
    ...bodies.map((wrong): Fault => (request) => ({ ...request, body: JSON.stringify(wrong) })),
    ...(operation.parameters ?? []).flatMap(({ name, in: place, schema }) =>
      place === 'header' ? [] : wrongTextsOf(schema, place).map((text) => withParameter(place, name, text)),
    ),
  ];
}

function wrongTextsOf(schema: Schema, place: 'path' | 'query'): string[] {
  return (
    wrongValuesOf(schema)
      .filter((value) => ['string', 'number', 'boolean'].includes(typeof value))
      .map(String)
      // A lone surrogate cannot be sent in an address, and an empty part of a path is another path.
      .filter((text) => text.isWellFormed() && (place === 'query' || text !== ''))
  );
}

const withParameter =
  (place: 'path' | 'query', name: string, text: string): Fault =>
  (request) => {
    const value = encodeURIComponent(text);
    return place === 'path'
      ? { ...request, path: { ...request.path, [name]: value } }
      : { ...request, query: [...request.query.filter(([given]) => given !== name), [name, value]] };
  };

/** Values that break a schema in one way. */
export function wrongValuesOf(schema: Schema): unknown[] {
  const { minimum, maximum, maxLength, minLength, maxItems, minItems, items } = schema;
  return [
    [[]],
    { toString: 1 },
    -1.5,
    true,
    null,
    '',
    'a\0b',
    '\ud800',
    1e300,
    '5',
    '${7*7}{{7*7}}',
    "' OR 1=1; --",
    '2026-02-30T25:00:00Z',
    '2026-02-01T00:00:00',
    'x'.repeat(9000),
    JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": 1}'),
    ...(minimum === undefined ? [] : [(minimum as number) - 1]),
    ...(maximum === undefined ? [] : [(maximum as number) + 1]),
    ...(maxLength === undefined ? [] : ['x'.repeat((maxLength as number) + 1)]),
    ...(minLength ? ['x'.repeat((minLength as number) - 1)] : []),
    ...(minItems ? [[]] : []),
    ...(maxItems !== undefined && (maxItems as number) < 2000
      ? [Array.from({ length: (maxItems as number) + 1 }, () => null)]
      : []),
    ...(items ? [[{ x: 1 }]] : []),
  ];
}

/** A body with each wrong value at each member, and at each member of the first items, and without each required member. */
function wrongBodies(schema: Schema, body: unknown): unknown[] {
  const found: unknown[] = [];
  const walk = (part: Schema, value: unknown, put: (value: unknown) => unknown): void => {
    found.push(...wrongValuesOf(part).map(put));
    if (Array.isArray(value) && part['items']) {
      if (value.length > 0) walk(part['items'] as Schema, value[0], (item) => put([item, ...value.slice(1)]));
      return;
    }
    if (value === null || typeof value !== 'object') return;
    const object = value as Record<string, unknown>;
    for (const name of (part['required'] ?? []) as string[]) {
      const { [name]: _, ...rest } = object;
      found.push(put(rest));
    }
    for (const [name, member] of Object.entries((part['properties'] ?? {}) as Record<string, Schema>))
      walk(member, object[name], (item) => put({ ...object, [name]: item }));
  };
  walk(schema, body, (value) => value);
  return found;
}
