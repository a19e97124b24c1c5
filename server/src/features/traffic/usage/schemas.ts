import { Type } from 'typebox';
import { Guid, LargeInteger, Nullable, OneOf, Timestamp } from '../../../http/schemas.ts';
import { MAX_USAGE_ROWS } from './queries.ts';

const Count = (description?: string) => Type.Integer({ ...LargeInteger(description), minimum: 0 });

const bytes = {
  bytesIn: Count('Bytes of the bodies of requests with a key, accepted or refused.'),
  bytesOut: Count('Bytes of the bodies of the responses.'),
};

export const WorkspaceQuota = Type.Object(
  {
    plan: Type.String(),
    periodStart: Timestamp,
    periodEnd: Type.String({ ...Timestamp, description: 'The start of the next period.' }),
    limit: Nullable(LargeInteger('Units per period. Null if unlimited.')),
    used: Count('Used units.'),
    ...bytes,
    hardStop: Type.Boolean({ description: 'Whether requests are refused after the last unit is used.' }),
  },
  { title: 'WorkspaceQuota' },
);

const range = 'A day (2026-11-01) or an instant. An instant includes its whole UTC day.';

export const UsageQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      maxLength: 64,
      description: `${range} The default is the first day of the month of the last day.`,
    }),
  ),
  to: Type.Optional(
    Type.String({
      maxLength: 64,
      description: `${range} A day is excluded from the range. The default is now.`,
    }),
  ),
  groupBy: OneOf(['day', 'tenant', 'key'], { title: 'UsageGrouping', default: 'day' }),
  tenantId: Type.Optional(
    Type.String({
      ...Guid,
      description: 'Only usage of this tenant. It may be the tenant of a key that the workspace pays for.',
    }),
  ),
  keyId: Type.Optional(
    Type.String({
      ...Guid,
      description:
        'Only usage of this key. It may be a key of another workspace that the workspace pays for.',
    }),
  ),
});

const Day = Type.String({ format: 'date' });

export const UsageReport = Type.Object(
  {
    from: Type.String({ format: 'date', description: 'The first day.' }),
    to: Type.String({ format: 'date', description: 'The first day after the range.' }),
    groupBy: OneOf(['day', 'tenant', 'key'], { title: 'UsageGrouping' }),
    items: Type.Array(
      Type.Object(
        {
          day: Type.Optional(Day),
          tenantId: Type.Optional(Guid),
          tenantName: Type.Optional(
            Nullable(Type.String({ description: 'Null if the tenant belongs to another workspace.' })),
          ),
          keyId: Type.Optional(Guid),
          keyName: Type.Optional(
            Nullable(Type.String({ description: 'Null if the key belongs to another workspace.' })),
          ),
          keyKind: Type.Optional(OneOf(['game', 'api'], { title: 'KeyKind' })),
          units: Count(),
          ...bytes,
        },
        { title: 'UsageItem' },
      ),
      { maxItems: MAX_USAGE_ROWS, description: 'By tenant or key: at most 1,000 items, most units first.' },
    ),
  },
  { title: 'UsageReport' },
);
