import fc from 'fast-check';

const UUID = '0199e0c5-7b1e-7000-8000-000000000007';

const UNICODE = [
  '\0',
  'a\0b',
  '\ud800',
  '\udfff x',
  '\ufeff',
  '\u202egnp.exe',
  '\u{10ffff}',
  'e\u0301'.repeat(40),
  '👩‍👩‍👧‍👦'.repeat(9),
  '﷽'.repeat(99),
  'İ',
  'ﬁ',
  '\u2028',
  '\u00a0x\u3000',
];

const SYNTAX = [
  "' OR 1=1; --",
  '${7*7}{{7*7}}',
  '%s%n',
  '%00',
  '../../etc/passwd',
  '<script>',
  '\\',
  '"',
  '$1',
  'null',
  'true',
  'undefined',
  'toString',
  '0x',
  `0x${'0'.repeat(40)}`,
  `0x${'g'.repeat(40)}`,
  `0X${'a'.repeat(40)}`,
  'eyJhbGciOiJub25lIn0.e30.',
  'mock::',
  'mock:a:b:c',
];

const LENGTHS = ['', ' ', '\t', '\n', 'x'.repeat(33), 'x'.repeat(129), 'x'.repeat(257), 'x'.repeat(5_000)];

const DIGITS = [
  '-0',
  '5',
  '1e5',
  '0x10',
  '1_000',
  ' 5',
  '+5',
  '٣',
  '２',
  'NaN',
  '9223372036854775807',
  '9223372036854775808',
  '1'.repeat(400),
];

const TIMES = [
  '2026-02-30T25:00:00Z',
  '2026-02-01T00:00:00',
  '2026-02-01',
  '1970-01-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '2026-01-01T00:00:00+14:59',
  '2026-01-01T00:00:00-23:59',
  '2026-01-01T24:00:00Z',
  '2026-06-30T23:59:60Z',
  '+012026-01-01T00:00:00Z',
];

const IDS = [
  UUID,
  UUID.toUpperCase(),
  `{${UUID}}`,
  `urn:uuid:${UUID}`,
  UUID.replaceAll('-', ''),
  UUID.replaceAll('0', '٠'),
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
];

const ADDRESSES = [
  'http://127.0.0.1',
  'http://[::1]:5432/',
  'https://a:b@x',
  'javascript:alert(1)',
  '//x',
  'https://',
  'https://x:99999',
  `https://${'a.'.repeat(200)}x`,
  'https://☃.net/',
  'a@b',
  '"@"@x.y',
  'a@x.y\nb@x.y',
];

/** Texts that a program may not expect. */
export const TEXTS = [UNICODE, SYNTAX, LENGTHS, DIGITS, TIMES, IDS, ADDRESSES].flat();

/** Numbers as they are written in JSON. */
export const NUMBERS = [
  '0',
  '-0',
  '0.1',
  '1.0',
  '1e2',
  '1E+2',
  '0e0',
  '1e-400',
  '1e308',
  '1e400',
  '-1e400',
  '2147483648',
  '-2147483649',
  '4294967296',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '12345678901234567890.5',
  '9'.repeat(400),
];

/** Names of members that a program may not expect. */
export const NAMES = [
  '',
  '__proto__',
  'constructor',
  'toString',
  'length',
  'id',
  '$ref',
  '\0',
  '\ud800',
  'x'.repeat(300),
];

const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
};

/** A number that keeps its digits in JSON. */
export const exactNumber = rawJSON;

/** A value in so many arrays or objects. */
export const nested = (levels: number, bracket: '[' | '{', value: unknown): unknown =>
  Array.from({ length: levels }).reduce<unknown>(
    (inner) => (bracket === '[' ? [inner] : { a: inner }),
    value,
  );

/** Whether a value has members. */
export const isContainer = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !isRawJSON(value);

const prototype = () => JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": 1}') as unknown;

/** JSON values that a program may not expect. */
export const oddValues: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 3, arbitrary: fc.constantFrom(...NUMBERS).map(exactNumber) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }) },
  { weight: 1, arbitrary: fc.constantFrom(null, true, false, [], {}, [[]], [null]) },
  { weight: 1, arbitrary: fc.constant(null).map(prototype) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 2_000 }).map((levels) => nested(levels, '[', 1)) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 100 }).map((levels) => nested(levels, '{', 1)) },
);
