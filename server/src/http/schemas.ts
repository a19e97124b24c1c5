import { Type, type Static, type TSchema } from 'typebox';
import type { ProblemCode } from '../core/problem.ts';

/** A UUID in any letter case, made lower-case before the handler sees it. */
export const Guid = Type.String({ format: 'uuid', transform: ['toLowerCase'] });

/**
 * A UUID from the database or parsed by this server. The serializer does not escape the format `unsafe`, which is
 * faster in large responses. The OpenAPI document shows it as `uuid`.
 */
export const StoredGuid = Type.String({ format: 'unsafe' });

/** An instant in ISO 8601. Requests may use any offset, responses use UTC. */
export const Timestamp = Type.String({ format: 'date-time' });

/** The beginning of a range of time, which is included. It must be earlier than the member `to`. */
export const From = (description: string) =>
  Type.String({ ...Timestamp, isBefore: 'to', description: `${description} Must be earlier than \`to\`.` });

/** Selects items of a list by time. */
export const TimeFilter = (items: string) => ({
  from: Type.Optional(From(`Only ${items} at or after this time.`)),
  to: Type.Optional(Type.String({ ...Timestamp, description: `Only ${items} before this time.` })),
});

/** A key or a name: trimmed, then 1 to `maxLength` code points long. */
export const Name = (maxLength: number, description?: string) =>
  Type.String({ transform: ['trim'], minLength: 1, maxLength, ...(description && { description }) });

/** A name that others see. `requireDisplayName` checks its characters. */
export const DisplayName = (maxLength: number, also = '') =>
  Name(maxLength, `At least one visible character, without control characters and line breaks.${also}`);

/** A key or a value of a game: stored as `normaliseKey` returns it, then at most `maxLength` code points long. */
export const Key = (maxLength: number, options: { minLength?: number; description?: string } = {}) =>
  Type.String({ normaliseKey: true, maxLength, ...options });

/** An EVM address. The handler checks its EIP-55 checksum. */
export const EvmAddress = Type.String({
  pattern: '^0x[0-9a-fA-F]{40}$',
  description: 'An EVM address in lower case, in upper case, or with the checksum of EIP-55.',
});

/** A name for URLs: lower-case ASCII words joined by hyphens. */
export const Slug = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  maxLength: 64,
  description:
    'Lower-case ASCII words joined by hyphens. If a new workspace or tenant has none, it is generated from the name.',
});

/** An email address, trimmed and lower-case. */
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

/** A string enum. */
export function OneOf<const Choice extends string>(choices: readonly Choice[], options: object = {}) {
  return Type.Unsafe<Choice>({ type: 'string', enum: [...choices], ...options });
}

/** The parameter of the paths of a tenant. */
export const TenantPath = Type.Object({ tenantId: Guid });
/** The parameter of the paths of a workspace. */
export const WorkspacePath = Type.Object({ workspaceId: Guid });

/**
 * Arbitrary key-value pairs from the caller. Lists return rows with metadata, so its size bounds the memory of every
 * page. `http/validation/metadata-limits.ts` checks the two limits that begin with `x-`.
 */
export const Metadata = Type.Record(Type.String(), Type.Unknown(), {
  'x-max-bytes': 8192,
  'x-max-levels': 4,
  description: 'Key-value pairs: at most 8 KiB as JSON, and at most 4 levels of objects and arrays.',
});

/**
 * An exact signed 64-bit integer in a request. In a scope with `keepLongIntegers`, JSON numbers may have more digits
 * than JavaScript keeps. `int64Digits` reads the value. Responses use {@link Int64Out}.
 */
export const Int64 = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  format: 'int64',
  description: 'A signed 64-bit integer, as a number or as a string of digits.',
});

/**
 * An integer that may need more than 32 bits, and that every JavaScript number can hold. The OpenAPI document gives integers with
 * such a limit the format `int64`. Without it, generated clients use 32 bits, and fail above 2,147,483,647.
 */
export const LargeInteger = (description?: string) =>
  Type.Integer({ maximum: Number.MAX_SAFE_INTEGER, ...(description && { description }) });

/** A signed 64-bit integer in a response: a number with all its digits. */
export const Int64Out = Type.Unsafe<bigint>({ type: 'integer', format: 'int64' });

/** The query of a list: `limit` (default 50, at most 200) and `offset`. */
export const PageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  offset: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 0 }),
});

/** A page of a list, with the total number of items across all pages. Its title is the title of the item and `Page`. */
export function Page<Item extends TSchema>(item: Item) {
  return Type.Object(
    {
      items: Type.Array(item),
      limit: Type.Integer({ description: 'The limit of this page.' }),
      offset: Type.Integer({ description: 'The number of items before this page.' }),
      totalCount: Type.Integer({ description: 'Total number of items across all pages.' }),
    },
    titleOfPage(item),
  );
}

/** The query of a list that continues after a cursor: `limit` as in {@link PageQuery}, and `cursor`. */
export const CursorQuery = Type.Object({
  limit: PageQuery.properties.limit,
  cursor: Type.Optional(Type.String({ ...Guid, description: 'The `nextCursor` of the previous page.' })),
});

/** A page of a list that continues after a cursor. Its title is the title of the item and `Page`. */
export function CursorPage<Item extends TSchema>(item: Item) {
  return Type.Object(
    {
      items: Type.Array(item),
      hasMore: Type.Boolean(),
      nextCursor: Type.Optional(
        Type.String({ description: 'The cursor of the next page. Absent on the last page.' }),
      ),
    },
    titleOfPage(item),
  );
}

function titleOfPage(item: TSchema): { title?: string } {
  const { title } = item as { title?: string };
  return title ? { title: `${title}Page` } : {};
}

/** What is wrong with one part of a request. */
const ProblemItem = Type.Object(
  {
    path: Type.Optional(
      Type.String({ description: 'The member or parameter, such as `players.0.playerId`.' }),
    ),
    message: Type.Optional(Type.String()),
    index: Type.Optional(
      Type.Integer({ description: 'The position of a rejected item in the request, from 0.' }),
    ),
    playerId: Type.Optional(Type.String({ ...Guid, description: 'With a match that was not created.' })),
    matchPlayerId: Type.Optional(
      Type.String({ ...Guid, description: 'With results that were not written.' }),
    ),
    statusCode: Type.Optional(Type.Integer({ description: 'The status of the rejected item.' })),
    error: Type.Optional(Type.String({ description: 'Why the item was rejected.' })),
  },
  {
    title: 'ProblemItem',
    description:
      'An invalid field has `path` and `message`. A rejected item has `index`, `statusCode` and `error`.',
    additionalProperties: true,
  },
);

/** The body of every error (RFC 9457). */
export const ProblemDocument = Type.Object(
  {
    type: Type.String({ description: 'The error code as a URN.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What is wrong with this request, and what to do.' }),
    instance: Type.String({ description: 'The path of the request.' }),
    code: Type.String({ description: 'A stable, machine-readable error code.' }),
    requestId: Type.String({
      description:
        'The id of the request. Quote it when you report the problem. X-Request-Id has the same value.',
    }),
    errors: Type.Optional(Type.Array(ProblemItem)),
    ban: Type.Optional(
      Type.Object(
        { reason: Nullable(Type.String()), until: Nullable(Timestamp) },
        {
          title: 'SignInBan',
          description:
            'The ban, for `player_banned` at a sign-in. If the ban has no end, `until` is null. `reason` and `until` are null if the ban ended in the meantime.',
        },
      ),
    ),
    quota: Type.Optional(
      Type.Object(
        {
          limit: LargeInteger('Units per period.'),
          used: LargeInteger('Used units.'),
          periodStart: Timestamp,
          periodEnd: Type.String({ ...Timestamp, description: 'The start of the next period.' }),
        },
        { title: 'ExceededQuota', description: 'With `quota_exceeded`: the units of the plan.' },
      ),
    ),
  },
  { $id: 'Problem', additionalProperties: true },
);

/** The error statuses in the OpenAPI document: the name of the shared response, the code of its example, and its description. */
export const problemStatuses: Record<number, [name: string, example: ProblemCode, description: string]> = {
  400: ['BadRequest', 'invalid_request', 'The request is invalid.'],
  401: ['Unauthorized', 'invalid_bearer', 'A credential is missing or invalid.'],
  403: ['Forbidden', 'forbidden', 'The caller does not have permission.'],
  404: ['NotFound', 'not_found', 'The resource does not exist, or the caller may not see it.'],
  405: [
    'MethodNotAllowed',
    'method_not_allowed',
    'The path does not support this method. The header Allow lists the supported methods.',
  ],
  408: ['RequestTimeout', 'request_timeout', 'The body did not arrive in time.'],
  409: ['Conflict', 'conflict', 'The request conflicts with the current state.'],
  410: ['Gone', 'players_rejected', 'The resource is gone.'],
  413: ['ContentTooLarge', 'body_too_large', 'The body is too large.'],
  415: ['UnsupportedMediaType', 'unsupported_media_type', 'The content type is not supported.'],
  422: ['UnprocessableContent', 'provider_not_available', 'The request cannot be processed.'],
  429: [
    'TooManyRequests',
    'too_many_attempts',
    'Too many requests. Retry after the number of seconds in Retry-After.',
  ],
  500: ['InternalServerError', 'internal_error', 'The server failed. Report the requestId to the operator.'],
  502: ['BadGateway', 'provider_unavailable', 'A server that this operation depends on is unavailable.'],
  503: [
    'ServiceUnavailable',
    'busy',
    'The service is not ready, or too busy. Retry after the number of seconds in Retry-After.',
  ],
};

/** Declares the error statuses of a route, as problem documents. */
export function problems(...statuses: number[]) {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: problemStatuses[status]?.[2] ?? 'An error.',
        content: { 'application/problem+json': { schema: Type.Ref('Problem') } },
      },
    ]),
  );
}
