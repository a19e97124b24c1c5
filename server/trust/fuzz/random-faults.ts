import fc from 'fast-check';
import type { ValidRequest } from '../valid-request.ts';
import type { Operation, Schema } from '../world.ts';
import { bodySchemaOf } from './invalid-requests.ts';
import { wrongValuesOf } from './listed-faults.ts';
import { exactNumber, isContainer, NAMES, nested, NUMBERS, oddValues, TEXTS } from './odd-values.ts';
import { valuesOf } from './values.ts';
import type { Fault, WireRequest } from './wire-request.ts';

/** A member or an item of a body, with its schema. */
interface Place {
  path: string[];
  schema: Schema;
}

/** All members that the schema knows, and the first items of lists, including those that the body does not have. */
function placesOf(schema: Schema, path: string[] = []): Place[] {
  const { properties = {}, items, oneOf = [], anyOf = [] } = schema;
  return [
    { path, schema },
    ...Object.entries(properties as Record<string, Schema>).flatMap(([name, member]) =>
      placesOf(member, [...path, name]),
    ),
    ...(items ? placesOf(items as Schema, [...path, '0']) : []),
    ...[...(oneOf as Schema[]), ...(anyOf as Schema[])].flatMap((choice) => placesOf(choice, path).slice(1)),
  ];
}

type Container = Record<string, unknown>;

/** Changes the value at a place. Objects on the way that are missing are added. */
function changeAt(root: unknown, path: string[], change: (parent: Container, name: string) => void): unknown {
  const holder: Container = { body: root };
  const [last, ...way] = ['body', ...path].toReversed() as [string, ...string[]];
  let parent = holder;
  for (const name of way.toReversed()) {
    if (!isContainer(parent[name])) parent[name] = {};
    parent = parent[name] as Container;
  }
  change(parent, last);
  return holder['body'];
}

/** A fault in the value of the body. It does nothing if an earlier fault left no JSON. */
function inBody(path: string[], change: (parent: Container, name: string) => void): Fault {
  return (request) => {
    if (typeof request.body !== 'string') return request;
    let value: unknown;
    try {
      // Long numbers stay as they are written.
      value = JSON.parse(request.body, (_name, item, context?: { source: string }) =>
        typeof item === 'number' ? exactNumber(context!.source) : (item as unknown),
      );
    } catch {
      return request;
    }
    return { ...request, body: JSON.stringify(changeAt(value, path, change)) ?? '' };
  };
}

function faultsAt({ path, schema }: Place): fc.Arbitrary<Fault> {
  const values = fc.oneof(
    { weight: 3, arbitrary: oddValues },
    { weight: 2, arbitrary: fc.constantFrom(...wrongValuesOf(schema)) },
    { weight: 1, arbitrary: valuesOf(schema) },
  );
  return fc.oneof(
    {
      weight: 8,
      arbitrary: values.map((value) => inBody(path, (parent, name) => void (parent[name] = value))),
    },
    { weight: 1, arbitrary: fc.constant(inBody(path, (parent, name) => void delete parent[name])) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...NAMES, ...variantsOf(path.at(-1) ?? 'x')).map((other) =>
        inBody(path, (parent, name) => {
          // Items have no names, and a list refuses most values for its length.
          if (Array.isArray(parent)) return;
          const value = parent[name];
          delete parent[name];
          Object.defineProperty(parent, other, {
            value,
            enumerable: true,
            configurable: true,
            writable: true,
          });
        }),
      ),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.integer({ min: 1, max: 70 }), fc.constantFrom('[', '{'))
        .map(([levels, bracket]) =>
          inBody(path, (parent, name) => void (parent[name] = nested(levels, bracket, parent[name]))),
        ),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(2, 3, 50, 1_001)
        .map((times) => inBody(path, (parent, name) => void (parent[name] = repeated(parent[name], times)))),
    },
  );
}

const variantsOf = (name: string) => [
  name.toUpperCase(),
  ` ${name}`,
  `${name}s`,
  name.replace(/[A-Z]/g, '_$&'),
];

/** At most this many characters, because most bodies may have 16 KiB. */
const MOST_REPEATED = 12_000;

function repeated(value: unknown, times: number): unknown {
  const length = (JSON.stringify(value) ?? '').length + 1;
  const count = Math.min(times, Math.ceil(MOST_REPEATED / length));
  if (Array.isArray(value)) return Array.from({ length: count }, () => value).flat();
  return typeof value === 'string' ? value.repeat(count) : Array.from({ length: count }, () => value);
}

/** Faults in the text of the body, which may be no JSON then. */
const inText: fc.Arbitrary<Fault> = fc
  .record({
    place: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.nat({ max: 3 }),
    added: fc.oneof(
      fc.constantFrom(
        ...'{}[],:"\\0-.eE+ntf\ufeff\0\u0001 ',
        '\\u0000',
        '\\ud800',
        '//',
        '/**/',
        "'",
        ',,',
        '{}',
        'NaN',
      ),
      fc.constantFrom('"a":1,', '"__proto__":{},', '"\\u005f_proto__":{"a":1},', '"constructor":{},'),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
  })
  .map(({ place, removed, added }) => (request) => {
    const { body } = request;
    if (typeof body !== 'string') return request;
    const at = Math.floor(place * (body.length + 1));
    return { ...request, body: (body.slice(0, at) + added + body.slice(at + removed)).toWellFormed() };
  });

/** Values of addresses that are not encoded, or not as UTF-8. */
const RAW_TEXTS = [
  '%',
  '%zz',
  '%ff',
  '%c0%af',
  '%00',
  '%2e%2e',
  '..',
  '.',
  '%2f',
  '%5c',
  ';a=1',
  ':',
  '@',
  '*',
  '%u0041',
  '+',
];

const inAddress = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .oneof(fc.constantFrom(...TEXTS, ...NUMBERS), fc.string({ unit: 'binary', maxLength: 20 }))
      .map(encoded),
  },
  { weight: 1, arbitrary: fc.constantFrom(...RAW_TEXTS) },
);

/** Path and headers may have 16 KiB together. */
const MOST_LETTERS = 3_000;

/** A lone surrogate cannot be encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text.slice(0, MOST_LETTERS).toWellFormed());
}

function faultsOfParameter(name: string, place: 'path' | 'query', schema: Schema): fc.Arbitrary<Fault> {
  const texts = wrongValuesOf(schema).filter((value) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  );
  const values = fc.oneof(
    inAddress,
    fc.constantFrom(...texts).map((value) => encoded(String(value))),
    valuesOf(schema).map((value) => encoded(String(value))),
  );
  if (place === 'path')
    // An empty part would be another path.
    return values
      .filter((value) => value !== '')
      .map((value) => (request) => ({ ...request, path: { ...request.path, [name]: value } }));
  return fc.oneof(
    { weight: 4, arbitrary: values.map((value) => inQuery(name, (others) => [...others, [name, value]])) },
    { weight: 1, arbitrary: fc.constant(inQuery(name, (others) => others)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(values, values)
        .map(([one, other]) => inQuery(name, (others) => [[name, one], ...others, [name, other]])),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom(`${name}[]`, `${name}[a]`, name.toUpperCase(), `${name}.a`, '__proto__'),
          values,
        )
        .map(([other, value]) => inQuery(name, (others) => [...others, [other, value]])),
    },
  );
}

/** Changes the occurrences of a parameter in the query. */
function inQuery(name: string, change: (others: WireRequest['query']) => WireRequest['query']): Fault {
  return (request) => ({ ...request, query: change(request.query.filter(([given]) => given !== name)) });
}

const HEADERS = [
  'idempotency-key',
  'x-identity-proof',
  'x-request-id',
  'if-match',
  'range',
  'last-event-id',
  'accept-language',
];

const inHeaders: fc.Arbitrary<Fault> = fc
  .tuple(
    fc.constantFrom(...HEADERS),
    fc.oneof(
      fc.constantFrom(
        '',
        ' ',
        'x',
        'x'.repeat(8),
        'x'.repeat(129),
        'x'.repeat(3_000),
        '\u00ff\u00fe',
        '"',
        '{}',
        'e30',
      ),
      fc.stringMatching(/^[!-~]{0,40}$/),
      fc.json({ maxDepth: 2 }).map((text) => Buffer.from(text).toString('base64url')),
    ),
  )
  .map(([name, value]) => (request) => ({ ...request, headers: { ...request.headers, [name]: value } }));

/** One to three random faults for requests of an operation. */
export function faultsOf(operation: Operation, sample: ValidRequest): fc.Arbitrary<Fault> {
  const schema = bodySchemaOf(operation);
  const inBodies = schema && sample.body !== undefined ? placesOf(schema).map(faultsAt) : [];
  const inParameters = (operation.parameters ?? []).flatMap(({ name, in: place, schema }) =>
    place === 'header' ? [] : [faultsOfParameter(name, place, schema)],
  );
  const one = fc.oneof(
    ...(inBodies.length > 0
      ? [
          { weight: 8, arbitrary: fc.oneof(...inBodies) },
          { weight: 2, arbitrary: inText },
        ]
      : []),
    ...(inParameters.length > 0 ? [{ weight: 3, arbitrary: fc.oneof(...inParameters) }] : []),
    { weight: 1, arbitrary: inHeaders },
  );
  return fc
    .oneof(
      { weight: 2, arbitrary: one.map((fault) => [fault]) },
      { weight: 1, arbitrary: fc.array(one, { minLength: 2, maxLength: 3 }) },
    )
    .map((faults) => (request) => faults.reduce((changed, fault) => fault(changed), request));
}
