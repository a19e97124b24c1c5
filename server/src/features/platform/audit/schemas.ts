import { Type } from 'typebox';
import {
  CursorPage,
  CursorQuery,
  Guid,
  Nullable,
  OneOf,
  TimeFilter,
  Timestamp,
} from '../../../http/schemas.ts';

const AuditRecord = Type.Object(
  {
    id: Guid,
    occurredAt: Timestamp,
    workspaceId: Nullable(Guid),
    tenantId: Nullable(Guid),
    actor: Type.Object(
      {
        kind: OneOf(['account', 'player', 'key', 'system'], { title: 'AuditActorKind' }),
        id: Nullable(Guid),
        email: Nullable(
          Type.String({ description: 'The address of the account, if it is a member of the workspace.' }),
        ),
      },
      { title: 'AuditActor' },
    ),
    action: Type.String({ description: 'The action, for example `tenant.updated` or `game_key.revoked`.' }),
    targetId: Nullable(Type.String({ description: 'The id of the changed object.' })),
    details: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The details of the action, for example `before` and `after` with the changed fields.',
    }),
    ipAddress: Nullable(Type.String()),
    requestId: Nullable(Type.String()),
  },
  { title: 'AuditRecord' },
);

export const AuditQuery = Type.Object({
  action: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Returns only records with this action.' }),
  ),
  actorId: Type.Optional(
    Type.String({ ...Guid, description: 'Returns only records of this account, player or key.' }),
  ),
  targetId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'Returns only records with this target: an id or the name of a provider. The records of a tenant about a player include those ' +
        'about merged profiles.',
    }),
  ),
  ...TimeFilter('records'),
  ...CursorQuery.properties,
});

export const AuditRecordPage = CursorPage(AuditRecord);
