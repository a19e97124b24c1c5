import { Type, type Static, type TSchema } from 'typebox';

/** A UUID in any letter case, made lower-case before the handler sees it. */
export const Guid = Type.String({ format: 'uuid', transform: ['toLowerCase'] });

/**
 * A UUID that comes from the database or was parsed by us, in an answer that holds thousands: it needs no escapes, and the
 * serialiser's format `unsafe` is told so. The OpenAPI document shows it as a uuid.
 */
export const StoredGuid = Type.String({ format: 'unsafe' });

/** An instant: ISO 8601 with an offset where it is sent, in UTC where it is returned. */
export const Timestamp = Type.String({ format: 'date-time' });

/** A key or a name: trimmed, then 1 to `maxLength` code points long. */
export const Name = (maxLength: number, description?: string) =>
  Type.String({ transform: ['trim'], minLength: 1, maxLength, ...(description && { description }) });

/** A name as an address part: lower-case ASCII words joined by hyphens. */
export const Slug = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  maxLength: 64,
  description: 'Lower-case ASCII words joined by hyphens. Made from the name where it is not given.',
});

/** An e-mail address, trimmed and lower-case. */
export const Email = Type.String({ format: 'email', maxLength: 254, transform: ['trim', 'toLowerCase'] });

/** A value that may be null. Only for schemas with a single `type`. */
export function Nullable<Schema extends TSchema>(schema: Schema) {
  const { type, ...rest } = schema as unknown as { type: string };
  const values = (rest as { enum?: unknown[] }).enum;
  return Type.Unsafe<Static<Schema> | null>({
    ...rest,
    type: [type, 'null'],
    ...(values && { enum: [...values, null] }),
  });
}

/** One of a few texts. */
export function OneOf<const Choice extends string>(choices: readonly Choice[], options: object = {}) {
  return Type.Unsafe<Choice>({ type: 'string', enum: [...choices], ...options });
}

/**
 * Arbitrary key-value pairs that a caller attaches to something. Rows with metadata are read by the page, so its size bounds the
 * memory of every list. `http/metadata-limits.ts` checks the two limits whose names begin with `x-`.
 */
export const Metadata = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: 256,
  'x-max-bytes': 8192,
  'x-max-levels': 4,
  description: 'Key-value pairs: at most 8 KiB as JSON, and at most 4 levels of objects and arrays.',
});

/**
 * A signed 64-bit integer in a request, exact: also where a number in JSON has more digits than JavaScript keeps, in a scope
 * with `keepLongIntegers`. What it is shows `int64Digits`. In an answer it is {@link Int64Out}.
 */
export const Int64 = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  format: 'int64',
  description: 'A signed 64-bit integer: a number with all its digits, or a text of them.',
});

/** A signed 64-bit integer in an answer: a number with all its digits. */
export const Int64Out = Type.Unsafe<bigint>({ type: 'integer', format: 'int64' });

/** The query of a list: `limit` (default 50, at most 200) and `offset`. */
export const PageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  offset: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 0 }),
});

/** A page of a list, with the number of all items. */
export function Page<Item extends TSchema>(item: Item) {
  return Type.Object({
    items: Type.Array(item),
    limit: Type.Integer(),
    offset: Type.Integer(),
    totalCount: Type.Integer(),
  });
}

/** The body of every error (RFC 9457). */
export const ProblemDocument = Type.Object(
  {
    type: Type.String({ description: 'The code as a URN.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What is wrong with this request, then what to do.' }),
    instance: Type.String({ description: 'The path of the request.' }),
    code: Type.String({ description: 'A stable, machine-readable name of the error.' }),
    requestId: Type.String({ description: 'Quote it when you report the problem. Also in X-Request-Id.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          { path: Type.Optional(Type.String()), message: Type.Optional(Type.String()) },
          { additionalProperties: true },
        ),
      ),
    ),
  },
  { $id: 'Problem', additionalProperties: true },
);

/** What the OpenAPI document says of each error status. */
export const problemDescriptions: Record<number, string> = {
  400: 'The request is not valid.',
  401: 'A credential is missing or not valid.',
  403: 'The caller may not do this.',
  404: 'It does not exist, or not for this caller.',
  405: 'The path does not support this method. Allow names those that it supports.',
  409: 'It conflicts with the current state.',
  410: 'It is gone.',
  408: 'The body did not arrive in time.',
  413: 'The body is too large.',
  415: 'The content type is not supported.',
  422: 'It cannot be processed.',
  429: 'Too many requests. Retry-After says when to try again.',
  500: 'The server failed. Report the requestId.',
  502: 'A server that this depends on does not answer.',
  503: 'Not ready, or too busy. Retry-After says when to try again.',
};

/** Declares the error statuses that a route can answer with, as problem documents. */
export function problems<Status extends number>(...statuses: Status[]) {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: problemDescriptions[status] ?? 'An error.',
        content: { 'application/problem+json': { schema: Type.Ref('Problem') } },
      },
    ]),
  );
}
