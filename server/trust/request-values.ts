import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { newOpaqueToken, type TokenKind } from '../src/security/opaque-tokens.ts';
import { someAddress } from '../src/testing/wallet-recording.ts';
import type { ValidRequest } from './valid-request.ts';
import { someText } from './world.ts';

/** The position of a value in a request: `path.tenantId`, `body.events.0.playerId`. */
export type Position = string;

const PARTS = ['path', 'query', 'headers', 'body'] as const;

/** The texts and numbers of a request, besides its credentials, by position. */
export function valuesOf(request: ValidRequest): Map<Position, string | number> {
  const values = new Map<Position, string | number>();
  const walk = (value: unknown, position: string): void => {
    if (typeof value === 'string' || typeof value === 'number') values.set(position, value);
    else if (value !== null && typeof value === 'object' && !(value instanceof FormData))
      for (const [name, item] of Object.entries(value)) walk(item, `${position}.${name}`);
  };
  for (const part of PARTS) walk(request[part], part);
  return values;
}

/** A copy of a request with another value at a position. */
export function withValue(request: ValidRequest, position: Position, value: string | number): ValidRequest {
  const [part, ...names] = position.split('.') as [(typeof PARTS)[number], ...string[]];
  const copy = { ...request, [part]: structuredClone(request[part]) };
  const last = names.pop()!;
  const parent = names.reduce<Record<string, unknown>>(
    (object, name) => object[name] as Record<string, unknown>,
    copy[part] as Record<string, unknown>,
  );
  parent[last] = value;
  return copy;
}

/** Kinds of values that name something, and how to make a value of the kind that names nothing. */
const KINDS: { form: RegExp; make: (value: string) => string }[] = [
  { form: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, make: () => randomUUID() },
  {
    form: /^gh_[a-z]+_[0-9a-f]{72}$/,
    make: (value) => newOpaqueToken(value.split('_')[1] as TokenKind),
  },
  { form: /^0x[0-9a-fA-F]{40}$/, make: () => someAddress() },
  {
    form: /^0x[0-9a-f]{64,}$/,
    make: (value) => `0x${randomBytes((value.length - 2) / 2).toString('hex')}`,
  },
  { form: /^[0-9a-f]{12}$/, make: () => someText() },
  { form: /^[0-9a-f]{12}@example\.com$/, make: () => `${someText()}@example.com` },
  { form: /^mock:[0-9a-f]{12}:secret$/, make: () => `mock:${someText()}:secret` },
  { form: /^[0-9a-f-]{36}\.(png|webp)$/, make: (value) => value.replace(/^.{36}/, randomUUID()) },
  { form: /^\d{6}$/, make: () => String(randomInt(10 ** 6)).padStart(6, '0') },
];

/** A value of the same form that names nothing. Undefined if the form is unknown. */
export function missingLike(value: string | number): string | number | undefined {
  if (typeof value === 'number') return randomInt(10 ** 9, 2 * 10 ** 9);
  // As many digits: texts of 12 and more are compared as ids, and shorter ones as numbers.
  if (/^\d{9,}$/.test(value))
    return value.replace(/\d/g, (_digit, index) => String(randomInt(index === 0 ? 1 : 0, 10)));
  if (/^\d+$/.test(value) && value.length !== 6) return String(randomInt(10 ** 9, 2 * 10 ** 9));
  return KINDS.find(({ form }) => form.test(value))?.make(value);
}

/** Texts that identify something: ids, addresses, names of the tests, email addresses. */
const IDENTIFYING =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|0x[0-9a-fA-F]{40,}|gh_[a-z]+_[0-9a-f]+|[0-9a-f]{12,}/g;

export function identifyingTexts(text: string): string[] {
  return text.match(IDENTIFYING) ?? [];
}

const VARIABLE: [RegExp, string][] = [
  [IDENTIFYING, 'ID'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'TOKEN'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/\b\d+(\.\d+)?\b/g, '0'],
];

/** A text without the parts that differ between two answers of the same kind. */
export function withoutVariables(text: string): string {
  return VARIABLE.reduce((result, [form, name]) => result.replace(form, name), text);
}
