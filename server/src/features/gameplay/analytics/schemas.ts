import { Type } from 'typebox';
import { CHART_BUCKETS } from '../../../core/time-range.ts';
import { From, LargeInteger, OneOf, Timestamp } from '../../../http/schemas.ts';

export const AnalyticsQuery = Type.Object({
  from: Type.Optional(From('Start of the range, inclusive. Default: 30 days before `to`.')),
  to: Type.Optional(Type.String({ ...Timestamp, description: 'End of the range, exclusive. Default: now.' })),
});

export const SessionAnalytics = Type.Object(
  {
    from: Timestamp,
    to: Timestamp,
    totalLogins: LargeInteger(),
    totalLogouts: LargeInteger(),
    uniquePlatforms: Type.Integer(),
    uniquePlayers: Type.Integer({ description: 'Distinct players, exact over any range.' }),
    loginsByPlatform: Type.Record(Type.String(), LargeInteger()),
    loginsByProvider: Type.Record(Type.String(), LargeInteger(), {
      description:
        'The keys are the provider names of the session ledger, such as `store_a`, `email` or `evm_wallet`.',
    }),
  },
  { title: 'SessionAnalytics' },
);

export const TimelineQuery = Type.Object({
  from: Type.Optional(From('A time in the first bucket. Default: 24 buckets, including the last one.')),
  to: Type.Optional(Type.String({ ...Timestamp, description: 'End of the range, exclusive. Default: now.' })),
  bucket: OneOf(CHART_BUCKETS, {
    title: 'TimelineBucket',
    default: 'hour',
    description: 'The width of a bucket, in UTC.',
  }),
});

export const SessionTimeline = Type.Object(
  {
    from: Timestamp,
    to: Timestamp,
    bucket: OneOf(CHART_BUCKETS, { title: 'TimelineBucket' }),
    items: Type.Array(
      Type.Object(
        {
          bucketStart: Timestamp,
          logins: LargeInteger(),
          uniquePlayers: Type.Integer({ description: 'Distinct players of this bucket.' }),
        },
        { title: 'SessionTimelineBucket' },
      ),
      { maxItems: 200, description: 'Oldest first. Buckets without logins are included.' },
    ),
  },
  { title: 'SessionTimeline' },
);
