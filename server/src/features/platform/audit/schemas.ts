import { Type } from 'typebox';
import { Guid, Nullable, OneOf, Timestamp } from '../../../http/schemas.ts';

export const AuditRecord = Type.Object({
  id: Guid,
  occurredAt: Timestamp,
  workspaceId: Nullable(Guid),
  tenantId: Nullable(Guid),
  actor: Type.Object({
    kind: OneOf(['account', 'player', 'key', 'system']),
    id: Nullable(Guid),
    email: Nullable(Type.String({ description: 'Of an account that is a member of the workspace.' })),
  }),
  action: Type.String({ description: 'What was done: `tenant.updated`, `game_key.revoked` and the like.' }),
  targetId: Nullable(Type.String({ description: 'What it was done to.' })),
  details: Type.Record(Type.String(), Type.Unknown(), {
    description: '`before` and `after` of what changed, `source`, and the like.',
  }),
  ipAddress: Nullable(Type.String()),
  requestId: Nullable(Type.String()),
});

export const AuditQuery = Type.Object({
  action: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Of this action alone.' })),
  actorId: Type.Optional(
    Type.Unsafe<string>({ ...Guid, description: 'Done by this account, player or key alone.' }),
  ),
  targetId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'Done to this alone: an id or a provider.' }),
  ),
  from: Type.Optional(Type.String({ ...Timestamp, description: 'At this time or later.' })),
  to: Type.Optional(Type.String({ ...Timestamp, description: 'Before this time.' })),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.Optional(Type.Unsafe<string>({ ...Guid, description: '`nextCursor` of the page before.' })),
});

export const AuditRecordPage = Type.Object({
  items: Type.Array(AuditRecord),
  nextCursor: Type.Optional(Type.String({ description: 'Missing on the last page.' })),
  hasMore: Type.Boolean(),
});
