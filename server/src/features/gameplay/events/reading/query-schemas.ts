import { Type } from 'typebox';
import { BUCKETS } from '../../../../core/time-range.ts';
import { From, Guid, Int64Out, LargeInteger, Nullable, OneOf, Timestamp } from '../../../../http/schemas.ts';
import { MAX_BUCKETS } from './queries.ts';
import { QUERY_SECONDS } from './query-events.ts';
import { DIMENSIONS } from './query-sql.ts';
import { EventScopeSchema } from './schemas.ts';

/** Alternatives of one filter. */
const MAX_ALTERNATIVES = 50;
const MAX_ROWS = 1_000;

const anyOf = <Item extends ReturnType<typeof Type.String>>(item: Item, what: string) =>
  Type.Optional(
    Type.Array(item, {
      minItems: 1,
      maxItems: MAX_ALTERNATIVES,
      description: `Only events with one of these ${what}.`,
    }),
  );

const text = Type.String({ minLength: 1, maxLength: 512 });
const Value = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

export const EventQuery = Type.Object(
  {
    scope: EventScopeSchema,
    from: From('The first time of the range.'),
    to: Type.String({
      ...Timestamp,
      description: `The end of the range, which is not included. At most 366 days after \`from\`, and ${MAX_BUCKETS} buckets.`,
    }),
    where: Type.Optional(
      Type.Object(
        {
          eventKeys: anyOf(text, 'keys'),
          eventValues: anyOf(text, 'values of their definition'),
          eventCategories: anyOf(text, 'categories'),
          playerIds: anyOf(Guid, 'players, or of their merged profiles'),
          matchSessionId: Type.Optional(Guid),
          minimumValue: Type.Optional(Value),
          maximumValue: Type.Optional(Value),
        },
        { title: 'EventQueryFilter', additionalProperties: false, description: 'All members must match.' },
      ),
    ),
    groupBy: Type.Optional(
      Type.Array(OneOf(DIMENSIONS, { title: 'EventQueryDimension' }), {
        maxItems: 3,
        uniqueItems: true,
        description: 'One row for each combination of these. `matchSessionId` needs the scope `match`.',
      }),
    ),
    bucket: Type.Optional(
      OneOf(BUCKETS, {
        title: 'EventQueryBucket',
        description: 'One row for each of these spans of time, in UTC. A week begins on Monday.',
      }),
    ),
    countPlayers: Type.Boolean({
      default: false,
      description: 'Whether to count the distinct players of each row.',
    }),
    limit: Type.Integer({ minimum: 1, maximum: MAX_ROWS, default: 100 }),
  },
  {
    title: 'EventQuery',
    additionalProperties: false,
    description: `A query of the stored events of a tenant. It may take ${QUERY_SECONDS} seconds.`,
  },
);

const Exact = Nullable({
  ...Int64Out,
  description: 'All digits. Some JSON parsers round it above 2^53. Null: no event has a value.',
});

const EventQueryRow = Type.Object(
  {
    bucketStart: Type.Optional(Timestamp),
    eventKey: Type.Optional(Type.String()),
    eventValue: Type.Optional(Nullable(Type.String())),
    eventCategory: Type.Optional(Nullable(Type.String())),
    playerId: Type.Optional(Guid),
    matchSessionId: Type.Optional(Guid),
    events: LargeInteger('The number of events.'),
    players: Type.Optional(Type.Integer({ description: 'The number of distinct players.' })),
    valueSum: Exact,
    valueAverage: Nullable(Type.Number()),
    valueMinimum: Exact,
    valueMaximum: Exact,
  },
  { title: 'EventQueryRow' },
);

export const EventQueryAnswer = Type.Object(
  {
    from: Timestamp,
    to: Timestamp,
    rows: Type.Array(EventQueryRow, { maxItems: MAX_ROWS }),
    hasMore: Type.Boolean({ description: 'Whether there are more rows than `limit`.' }),
  },
  { title: 'EventQueryAnswer' },
);
