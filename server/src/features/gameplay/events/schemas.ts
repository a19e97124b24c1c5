import { Type } from 'typebox';
import { Guid, Nullable, OneOf, ProblemDocument, StoredGuid, Timestamp } from '../../../http/schemas.ts';
import { MOST_EVENTS, MOST_SUMMARY_ROWS } from './event-scope.ts';

const Int64 = Type.Union([Type.Integer(), Type.String({ pattern: '^-?\\d+$' })], {
  description:
    'A signed 64-bit integer, exact over its whole range; as a number in plain digits or as a text.',
});

const eventFields = {
  loginSessionId: Type.Optional(Nullable(Guid)),
  eventDefinitionId: Type.Optional(Nullable(Guid)),
  eventKey: Type.Optional(
    Nullable(Type.String({ maxLength: 32, description: 'Needed without eventDefinitionId.' })),
  ),
  eventValue: Type.Optional(Nullable(Type.String({ maxLength: 32, description: 'Used with eventKey.' }))),
  idempotencyKey: Type.String({
    maxLength: 64,
    description: 'Unique with occurredAt: the same event sent again is stored once.',
  }),
  value: Type.Optional(Int64),
  occurredAt: Timestamp,
};

export const MatchEvent = Type.Object({ matchSessionId: Guid, matchPlayerId: Guid, ...eventFields });
export const PlayerEvent = Type.Object({ playerId: Guid, ...eventFields });

/**
 * A batch, as the documentation shows it. A request is held to its envelope alone (see routes.ts): a schema over the items
 * would refuse the whole batch for one bad event.
 */
export const MatchEventBatch = batchOf(MatchEvent);
export const PlayerEventBatch = batchOf(PlayerEvent);

function batchOf(event: typeof MatchEvent | typeof PlayerEvent) {
  const events = Type.Array(event, { minItems: 1, maxItems: MOST_EVENTS });
  return Type.Unsafe<unknown>(Type.Union([Type.Object({ events }), events]));
}

const resultFields = {
  records: Type.Array(
    Type.Object({
      index: Type.Integer({ description: 'The place of the event in the request.' }),
      eventRecordId: StoredGuid,
      eventDefinitionId: StoredGuid,
      matchPlayerId: Type.Optional(StoredGuid),
      matchSessionId: Type.Optional(StoredGuid),
      playerId: Type.Optional(StoredGuid),
    }),
    { description: 'The events that this request stored. They are on disk.' },
  ),
  warnings: Type.Array(Type.Object({ index: Type.Integer(), message: Type.String() }), {
    description:
      'What was not stored as it was sent: a definition that was found by key and value, and members that an event does not ' +
      'have, one warning for each name.',
  }),
  errors: Type.Array(
    Type.Object({
      index: Type.Integer(),
      statusCode: Type.Integer({ description: '400, 403, 404, 409 or 422.' }),
      error: Type.String(),
      eventDefinitionId: Type.Optional(Type.String()),
      eventKey: Type.Optional(Type.String()),
      eventValue: Type.Optional(Type.String()),
    }),
    { description: 'The events that were refused, and why.' },
  ),
  duplicateCount: Type.Integer({
    description: 'Events that were stored before, or stand in the batch twice.',
  }),
};

export const IngestResult = Type.Object(resultFields);

/** Nothing was inserted: the same result, as a problem document. */
export const RejectedBatch = {
  description: 'No event was stored.',
  content: {
    'application/problem+json': {
      schema: Type.Object({ ...ProblemDocument.properties, ...resultFields }),
    },
  },
};

export const scopeQuery = OneOf(['match', 'player'], { description: 'Match events or player events.' });

const filterFields = {
  scope: scopeQuery,
  from: Type.Optional(
    Type.String({ format: 'date-time', description: 'Events that occurred at this time or later.' }),
  ),
  to: Type.Optional(
    Type.String({ format: 'date-time', description: 'Events that occurred before this time.' }),
  ),
  eventKey: Type.Optional(Type.String({ maxLength: 512 })),
  eventValue: Type.Optional(Type.String({ maxLength: 512 })),
  playerId: Type.Optional(Guid),
  matchSessionId: Type.Optional(Guid),
};

export const EventsQuery = Type.Object({
  ...filterFields,
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
  cursor: Type.Optional(Type.String({ maxLength: 512, description: '`nextCursor` of the page before.' })),
});

export const ExportQuery = Type.Object({
  ...filterFields,
  format: OneOf(['ndjson', 'csv'], { default: 'ndjson' }),
});

export const SummaryQuery = Type.Object({
  ...filterFields,
  bucket: OneOf(['minute', 'hour', 'day'], {
    default: 'hour',
    description: 'The width of a bucket, in UTC.',
  }),
});

export const StoredEvent = Type.Object({
  eventRecordId: Guid,
  eventDefinitionId: Guid,
  eventKey: Type.String(),
  eventValue: Nullable(Type.String()),
  matchSessionId: Type.Optional(Guid),
  matchPlayerId: Type.Optional(Guid),
  playerId: Guid,
  loginSessionId: Nullable(Guid),
  idempotencyKey: Type.String(),
  value: Nullable(Type.Integer({ description: 'A signed 64-bit integer with all its digits.' })),
  occurredAt: Timestamp,
  receivedAt: Timestamp,
  rowHash: Type.String({ description: 'SHA-256 of the row, hexadecimal.' }),
});

export const EventPage = Type.Object({
  items: Type.Array(StoredEvent),
  hasMore: Type.Boolean(),
  nextCursor: Type.Optional(Type.String()),
});

export const EventSummary = Type.Object({
  from: Timestamp,
  to: Timestamp,
  bucket: Type.String(),
  items: Type.Array(
    Type.Object({
      bucketStart: Timestamp,
      eventDefinitionId: Guid,
      eventKey: Type.String(),
      eventValue: Nullable(Type.String()),
      count: Type.Integer(),
    }),
    { maxItems: MOST_SUMMARY_ROWS },
  ),
});
