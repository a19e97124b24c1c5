import { Type } from 'typebox';
import { Guid, Nullable, OneOf, PageQuery, Timestamp } from '../../../http/schemas.ts';
import { platformFields, platforms } from '../../sign-in/login/index.ts';

export const HistoryQuery = Type.Object({
  tenantId: Type.Optional(
    Type.String({ ...Guid, description: 'Only logins in this tenant. The default is all tenants.' }),
  ),
  cursorTimestamp: Type.Optional(
    Type.String({
      ...Timestamp,
      description: 'The `nextCursorTimestamp` of the previous page, unchanged.',
    }),
  ),
  cursorId: Type.Optional(Type.String({ ...Guid, description: 'The `nextCursorId` of the previous page.' })),
  pageSize: PageQuery.properties.limit,
});

export const SessionHistory = Type.Object(
  {
    sessions: Type.Array(
      Type.Object(
        {
          id: Guid,
          sessionId: Guid,
          tenantId: Guid,
          authProvider: Type.String(),
          ...platformFields,
          deviceId: Nullable(Guid),
          clientVersion: Nullable(Type.String()),
          clientBuild: Nullable(Type.String()),
          ipAddress: Nullable(Type.String()),
          occurredAt: Timestamp,
        },
        { title: 'SessionHistoryEntry' },
      ),
    ),
    totalCount: Type.Integer({ description: 'The total number of logins across all pages.' }),
    pageSize: Type.Integer(),
    hasMore: Type.Boolean(),
    nextCursorTimestamp: Nullable(
      Type.String({
        ...Timestamp,
        description: 'The cursor of the next, older page. Null on the last page.',
      }),
    ),
    nextCursorId: Nullable(Guid),
  },
  { title: 'SessionHistory' },
);

export const SessionSummary = Type.Object(
  {
    totalLogins: Type.Integer(),
    totalGamesPlayed: Type.Integer({ description: 'The number of distinct tenants.' }),
    platformsUsed: Type.Array(OneOf(platforms, { title: 'Platform' }), { maxItems: platforms.length }),
    firstLoginAt: Nullable(Timestamp),
    lastLoginAt: Nullable(Timestamp),
    recentSessions: Type.Array(
      Type.Object(
        {
          tenantId: Guid,
          ...platformFields,
          clientVersion: Nullable(Type.String()),
          loginAt: Timestamp,
        },
        { title: 'RecentSession' },
      ),
      { maxItems: 10, description: 'The ten latest logins.' },
    ),
  },
  { title: 'SessionSummary' },
);
