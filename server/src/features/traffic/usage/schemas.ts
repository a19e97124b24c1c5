import { Type } from 'typebox';
import { Guid, Nullable, OneOf, Timestamp } from '../../../http/schemas.ts';
import { MOST_USAGE_ROWS } from './queries.ts';

export const UsagePath = Type.Object({ workspaceId: Guid });

const Count = (description?: string) => Type.Integer({ minimum: 0, ...(description && { description }) });

const bytes = {
  bytesIn: Count('Of the bodies of requests on keys, accepted or not.'),
  bytesOut: Count('Of the bodies of their answers.'),
};

export const WorkspaceQuota = Type.Object({
  plan: Type.String(),
  periodStart: Timestamp,
  periodEnd: Type.String({ ...Timestamp, description: 'The first instant of the next period.' }),
  limit: Nullable(Type.Integer({ description: 'Units in the period; null: unlimited.' })),
  used: Count('Units.'),
  ...bytes,
  hardStop: Type.Boolean({ description: 'Whether requests are refused when the units are used up.' }),
});

const range = 'A day (2026-11-01), or an instant, which stands for its whole day in UTC.';

export const UsageQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      maxLength: 64,
      description: `${range} Without it, the first day of the month of the last day.`,
    }),
  ),
  to: Type.Optional(
    Type.String({
      maxLength: 64,
      description: `${range} A day given as such does not count itself. Without it, now.`,
    }),
  ),
  groupBy: OneOf(['day', 'tenant', 'key'], { default: 'day' }),
});

const Day = Type.String({ format: 'date' });

export const UsageReport = Type.Object({
  from: Type.String({ format: 'date', description: 'The first day.' }),
  to: Type.String({ format: 'date', description: 'The first day that does not count.' }),
  groupBy: OneOf(['day', 'tenant', 'key']),
  items: Type.Array(
    Type.Object({
      day: Type.Optional(Day),
      tenantId: Type.Optional(Guid),
      tenantName: Type.Optional(
        Nullable(Type.String({ description: 'Null for a tenant of another workspace.' })),
      ),
      keyId: Type.Optional(Guid),
      keyName: Type.Optional(Nullable(Type.String({ description: 'Null for a key of another workspace.' }))),
      keyKind: Type.Optional(OneOf(['game', 'api'])),
      units: Count(),
      ...bytes,
    }),
    { maxItems: MOST_USAGE_ROWS, description: 'By tenant or key: the 1,000 with the most units.' },
  ),
});
