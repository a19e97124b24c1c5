import { Type } from 'typebox';
import { MAX_EVENTS_PER_REQUEST } from '../../../core/callers.ts';
import {
  Guid,
  Int64,
  LargeInteger,
  Nullable,
  OneOf,
  ProblemDocument,
  StoredGuid,
  TimeFilter,
  Timestamp,
} from '../../../http/schemas.ts';
import { EVENT_SCOPES } from './event-row.ts';
import { MAX_SUMMARY_ROWS } from './summarise-events.ts';
import { MAX_TOP, SUMMARY_GROUPS } from './summary-sql.ts';

const eventFields = {
  loginSessionId: Type.Optional(Nullable(Guid)),
  eventDefinitionId: Type.Optional(Nullable(Guid)),
  eventKey: Type.Optional(
    Nullable(Type.String({ maxLength: 32, description: 'Required if `eventDefinitionId` is absent.' })),
  ),
  eventValue: Type.Optional(
    Nullable(Type.String({ maxLength: 32, description: 'Used together with `eventKey`.' })),
  ),
  idempotencyKey: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Unique together with `occurredAt`. An event that is sent again is stored only once.',
  }),
  value: Type.Optional(Int64),
  occurredAt: Timestamp,
};

const MatchEvent = Type.Object(
  { matchSessionId: Guid, matchPlayerId: Guid, ...eventFields },
  { title: 'MatchEvent' },
);
const PlayerEvent = Type.Object({ playerId: Guid, ...eventFields }, { title: 'PlayerEvent' });

/**
 * The batch schemas document the request only. ingestion-routes.ts validates the envelope, and checkEvent each event, so
 * that one invalid event does not fail the whole batch.
 */
export const MatchEventBatch = batchOf(MatchEvent, 'MatchEventBatchRequest');
export const PlayerEventBatch = batchOf(PlayerEvent, 'PlayerEventBatchRequest');

/** One schema with two types, because generators of clients for C# take `anyOf` for an object with unknown members. */
function batchOf(event: typeof MatchEvent | typeof PlayerEvent, title: string) {
  const events = { type: 'array', items: event, minItems: 1, maxItems: MAX_EVENTS_PER_REQUEST };
  return Type.Unsafe<unknown>({
    ...events,
    type: ['object', 'array'],
    title,
    description: 'The events, or an object with the member `events`.',
    properties: { events },
    required: ['events'],
  });
}

const resultFields = {
  records: Type.Array(
    Type.Object(
      {
        index: Type.Integer({ description: 'The position of the event in the request, from 0.' }),
        eventRecordId: StoredGuid,
        eventDefinitionId: StoredGuid,
        matchPlayerId: Type.Optional(StoredGuid),
        matchSessionId: Type.Optional(StoredGuid),
        playerId: Type.Optional(StoredGuid),
      },
      { title: 'RecordedEvent' },
    ),
    { description: 'The events that this request stored. They are already on disk.' },
  ),
  warnings: Type.Array(
    Type.Object({ index: Type.Integer(), message: Type.String() }, { title: 'EventWarning' }),
    {
      description:
        'Events that were not stored exactly as sent. Their definition was found by key and value instead of by ID, or they ' +
        'have unknown members. Each unknown member name has one warning.',
    },
  ),
  errors: Type.Array(
    Type.Object(
      {
        index: Type.Integer(),
        statusCode: Type.Integer({ description: '400, 403, 404, 409 or 422.' }),
        error: Type.String(),
        eventDefinitionId: Type.Optional(Type.String()),
        eventKey: Type.Optional(Type.String()),
        eventValue: Type.Optional(Type.String()),
      },
      { title: 'EventError' },
    ),
    { description: 'The events that were rejected, each with a reason.' },
  ),
  duplicateCount: Type.Integer({
    description: 'Number of events that were already stored or occur more than once in the batch.',
  }),
};

export const IngestResult = Type.Object(resultFields, { title: 'EventBatchResult' });

const { ban: _ban, quota: _quota, ...problemMembers } = ProblemDocument.properties;

/** The result of a batch that added no event, as a problem document. */
export const RejectedBatch = {
  description: 'No event was stored.',
  content: {
    'application/problem+json': {
      schema: Type.Object({ ...problemMembers, ...resultFields }, { title: 'RejectedEventBatch' }),
    },
  },
};

export const scopeQuery = OneOf(EVENT_SCOPES, {
  title: 'EventScope',
  description: 'Match events or player events.',
});

/** The filter of a query string. */
export const EventFilterQuery = Type.Object({
  scope: scopeQuery,
  ...TimeFilter('events that occurred'),
  eventKey: Type.Optional(Type.String({ maxLength: 512, description: 'Only events with this key.' })),
  eventValue: Type.Optional(
    Type.String({ maxLength: 512, description: 'Only events with this value of their definition.' }),
  ),
  playerId: Type.Optional(
    Type.String({
      ...Guid,
      description:
        'Only events of this player, with those of merged profiles. Each event keeps the `playerId` of its profile.',
    }),
  ),
  matchSessionId: Type.Optional(
    Type.String({ ...Guid, description: 'Only events of this match. Needs `scope=match`.' }),
  ),
});

export const EventsQuery = Type.Object({
  ...EventFilterQuery.properties,
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
  // 64 control characters of an idempotencyKey are 384 in JSON, and 512 in base64url.
  cursor: Type.Optional(Type.String({ maxLength: 1024, description: '`nextCursor` of the previous page.' })),
});

export const ExportQuery = Type.Object({
  ...EventFilterQuery.properties,
  format: OneOf(['ndjson', 'csv'], { title: 'EventExportFormat', default: 'ndjson' }),
});

const EVENT_BUCKETS = ['minute', 'hour', 'day'] as const;

export const SummaryQuery = Type.Object({
  ...EventFilterQuery.properties,
  bucket: OneOf(EVENT_BUCKETS, {
    title: 'EventBucket',
    default: 'hour',
    description: 'The width of a time bucket, in UTC.',
  }),
  groupBy: OneOf([...SUMMARY_GROUPS], {
    title: 'EventSummaryGroup',
    default: 'definition',
    description:
      'What a row of a time bucket counts: the events of a definition, those of all definitions with an `eventKey`, or all events (`time`).',
  }),
  top: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_TOP,
      description: 'The number of definitions or keys to return: those with the most events in the range.',
    }),
  ),
});

export const StoredEvent = Type.Object(
  {
    eventRecordId: Guid,
    eventDefinitionId: Guid,
    eventKey: Type.String(),
    eventValue: Nullable(Type.String()),
    matchSessionId: Type.Optional(Guid),
    matchPlayerId: Type.Optional(Guid),
    playerId: Guid,
    loginSessionId: Nullable(Guid),
    idempotencyKey: Type.String(),
    value: Nullable(
      Type.Integer({
        format: 'int64',
        description: 'A signed 64-bit integer. Some JSON parsers round it above 2^53.',
      }),
    ),
    occurredAt: Timestamp,
    receivedAt: Timestamp,
    rowHash: Type.String({ description: 'SHA-256 of the row, in hexadecimal.' }),
  },
  { title: 'StoredEvent' },
);

export const EventPage = Type.Object(
  {
    items: Type.Array(StoredEvent),
    hasMore: Type.Boolean(),
    nextCursor: Type.Optional(Type.String()),
  },
  { title: 'StoredEventPage' },
);

export const EventSummary = Type.Object(
  {
    from: Timestamp,
    to: Timestamp,
    bucket: OneOf(EVENT_BUCKETS, { title: 'EventBucket' }),
    items: Type.Array(
      Type.Object(
        {
          bucketStart: Timestamp,
          eventDefinitionId: Type.Optional(Guid),
          eventKey: Type.Optional(Type.String()),
          eventValue: Type.Optional(Nullable(Type.String())),
          count: LargeInteger(),
        },
        {
          title: 'EventCount',
          description:
            'The number of events of a group in a time bucket. If `groupBy` is `eventKey`, there is no `eventDefinitionId` and no ' +
            '`eventValue`. If it is `time`, there is no `eventKey` either.',
        },
      ),
      { maxItems: MAX_SUMMARY_ROWS },
    ),
    hasMore: Type.Boolean({
      description:
        'Whether the newest buckets are left out as a whole, because there are more than 20,000 rows. If so, ask for a shorter range, ' +
        'longer buckets, or `top`.',
    }),
  },
  { title: 'EventSummary' },
);
