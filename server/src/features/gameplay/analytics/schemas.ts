import { Type } from 'typebox';
import { Guid, Timestamp } from '../../../http/schemas.ts';

export const AnalyticsPath = Type.Object({ tenantId: Guid });

export const AnalyticsQuery = Type.Object({
  from: Type.Optional(
    Type.String({ ...Timestamp, description: 'The first instant. Without it, 30 days before `to`.' }),
  ),
  to: Type.Optional(
    Type.String({ ...Timestamp, description: 'The first instant that is not counted. Without it, now.' }),
  ),
});

export const SessionAnalytics = Type.Object({
  from: Timestamp,
  to: Timestamp,
  totalLogins: Type.Integer(),
  totalLogouts: Type.Integer(),
  uniquePlatforms: Type.Integer(),
  uniquePlayers: Type.Integer({ description: 'Exact over any range: who came on two days counts once.' }),
  loginsByPlatform: Type.Record(Type.String(), Type.Integer()),
  loginsByProvider: Type.Record(Type.String(), Type.Integer(), {
    description: 'By the names of the session ledger: `store_a`, `email`, `evm_wallet` …',
  }),
});
