import { Type } from 'typebox';
import { Guid, Nullable, OneOf, Timestamp } from '../../../http/schemas.ts';
import { platforms } from '../../sign-in/login/index.ts';

export const HistoryQuery = Type.Object({
  tenantId: Type.Optional(Type.String({ ...Guid, description: 'One game only; all of them without it.' })),
  cursorTimestamp: Type.Optional(
    Type.String({
      ...Timestamp,
      description: '`nextCursorTimestamp` of the page before, as it stands there.',
    }),
  ),
  cursorId: Type.Optional(Type.String({ ...Guid, description: '`nextCursorId` of the page before.' })),
  pageSize: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
});

const platform = {
  platform: OneOf(platforms),
  platformDisplayName: Type.String({ description: 'The platform as people read it: "Console B5 Pro".' }),
};

export const SessionHistory = Type.Object({
  sessions: Type.Array(
    Type.Object({
      id: Guid,
      sessionId: Guid,
      tenantId: Guid,
      authProvider: Type.String(),
      ...platform,
      deviceId: Nullable(Guid),
      clientVersion: Nullable(Type.String()),
      clientBuild: Nullable(Type.String()),
      ipAddress: Nullable(Type.String()),
      occurredAt: Timestamp,
    }),
  ),
  totalCount: Type.Integer({ description: 'Of all pages.' }),
  pageSize: Type.Integer(),
  hasMore: Type.Boolean(),
  nextCursorTimestamp: Nullable(
    Type.String({ ...Timestamp, description: 'Of the next, older page; null where there is none.' }),
  ),
  nextCursorId: Nullable(Guid),
});

export const SessionSummary = Type.Object({
  totalLogins: Type.Integer(),
  totalGamesPlayed: Type.Integer({ description: 'Distinct tenants.' }),
  platformsUsed: Type.Array(OneOf(platforms), { maxItems: platforms.length }),
  firstLoginAt: Nullable(Timestamp),
  lastLoginAt: Nullable(Timestamp),
  recentSessions: Type.Array(
    Type.Object({
      tenantId: Guid,
      ...platform,
      clientVersion: Nullable(Type.String()),
      loginAt: Timestamp,
    }),
    { maxItems: 10, description: 'The latest ten.' },
  ),
});
