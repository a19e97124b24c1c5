import { Type } from 'typebox';
import { CHART_BUCKETS } from '../../../../core/time-range.ts';
import {
  CursorPage,
  Guid,
  LargeInteger,
  Nullable,
  OneOf,
  TimeFilter,
  Timestamp,
} from '../../../../http/schemas.ts';
import { EVENT_SCOPES } from '../event-row.ts';
import { MAX_SUMMARY_ROWS } from './summarise-events.ts';
import { MAX_TOP, SUMMARY_GROUPS } from './summary-sql.ts';

export const EventScopeSchema = OneOf(EVENT_SCOPES, {
  title: 'EventScope',
  description: 'Match events or player events.',
});

/** The filter of a query string. */
export const EventFilterQuery = Type.Object({
  scope: EventScopeSchema,
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

export const SummaryQuery = Type.Object({
  ...EventFilterQuery.properties,
  bucket: OneOf(CHART_BUCKETS, {
    title: 'EventBucket',
    default: 'hour',
    description: 'The width of a time bucket, in UTC.',
  }),
  groupBy: OneOf(SUMMARY_GROUPS, {
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

export const StoredEventPage = CursorPage(StoredEvent);

export const EventSummary = Type.Object(
  {
    from: Timestamp,
    to: Timestamp,
    bucket: OneOf(CHART_BUCKETS, { title: 'EventBucket' }),
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
