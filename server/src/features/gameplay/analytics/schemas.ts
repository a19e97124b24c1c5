import { Type } from 'typebox';
import { Guid, Timestamp } from '../../../http/schemas.ts';

export const AnalyticsPath = Type.Object({ tenantId: Guid });

export const AnalyticsQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      ...Timestamp,
      description: 'Start of the range, inclusive. Default: 30 days before `to`.',
    }),
  ),
  to: Type.Optional(Type.String({ ...Timestamp, description: 'End of the range, exclusive. Default: now.' })),
});

export const SessionAnalytics = Type.Object(
  {
    from: Timestamp,
    to: Timestamp,
    totalLogins: Type.Integer(),
    totalLogouts: Type.Integer(),
    uniquePlatforms: Type.Integer(),
    uniquePlayers: Type.Integer({ description: 'Distinct players, exact over any range.' }),
    loginsByPlatform: Type.Record(Type.String(), Type.Integer()),
    loginsByProvider: Type.Record(Type.String(), Type.Integer(), {
      description:
        'The keys are the provider names of the session ledger, such as `store_a`, `email` or `evm_wallet`.',
    }),
  },
  { title: 'SessionAnalytics' },
);
