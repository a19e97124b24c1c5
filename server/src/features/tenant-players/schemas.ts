import { Type } from 'typebox';
import { Guid, Nullable, Timestamp } from '../../http/schemas.ts';

export const BanBody = Type.Object({
  reason: Type.Optional(
    Nullable(Type.String({ maxLength: 256, transform: ['trim'], description: 'Why, in a few words.' })),
  ),
  note: Type.Optional(
    Nullable(Type.String({ maxLength: 2000, description: 'For the tenant’s administrators.' })),
  ),
  until: Type.Optional(
    Nullable(
      Type.String({
        ...Timestamp,
        description: 'In the future. Without it the ban holds until it is lifted.',
      }),
    ),
  ),
});

/** A ban, in force or not. */
export const Ban = Type.Object({
  id: Guid,
  playerId: Guid,
  reason: Nullable(Type.String()),
  note: Nullable(Type.String()),
  until: Nullable(Type.String({ ...Timestamp, description: 'Null: until lifted.' })),
  bannedBy: Type.String({ ...Guid, description: 'The account that banned.' }),
  bannedAt: Timestamp,
  liftedBy: Nullable(
    Type.String({ ...Guid, description: 'The account that lifted it, or replaced it by another.' }),
  ),
  liftedAt: Nullable(Timestamp),
});

export const TenantPlayerPath = Type.Object({ tenantId: Guid, playerId: Guid });

/** May be left out altogether. */
export const ForceLogoutBody = Nullable(
  Type.Object({
    message: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 256,
          transform: ['trim'],
          description: 'Kept with each session in the logout ledger.',
        }),
      ),
    ),
  }),
);

export const ForceLogoutResult = Type.Object({ endedSessions: Type.Integer() });
