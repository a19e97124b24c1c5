import { Type } from 'typebox';
import { Guid, Nullable, Timestamp } from '../../../http/schemas.ts';

/** The body is optional. */
export const BanPlayerRequest = Nullable(
  Type.Object(
    {
      reason: Type.Optional(
        Nullable(
          Type.String({
            maxLength: 256,
            transform: ['trim'],
            description: 'The reason of the ban, in a few words. It is part of the player’s data export.',
          }),
        ),
      ),
      note: Type.Optional(
        Nullable(
          Type.String({
            maxLength: 2000,
            description: 'A note for the members of the workspace. The player does not see it.',
          }),
        ),
      ),
      until: Type.Optional(
        Nullable(
          Type.String({
            ...Timestamp,
            description: 'The end of the ban, in the future. Null or absent: until the ban is lifted.',
          }),
        ),
      ),
    },
    { title: 'BanPlayerRequest' },
  ),
);

const memberEmail = Nullable(
  Type.String({ description: 'The email address of that account. Null if it has left the workspace.' }),
);

/** A ban: active, expired or lifted. */
export const PlayerBan = Type.Object(
  {
    id: Guid,
    playerId: Guid,
    reason: Nullable(Type.String()),
    note: Nullable(Type.String()),
    until: Nullable(Type.String({ ...Timestamp, description: 'Null: until the ban is lifted.' })),
    bannedBy: Type.String({ ...Guid, description: 'The account that created the ban.' }),
    bannedByEmail: memberEmail,
    bannedAt: Timestamp,
    liftedBy: Nullable(Type.String({ ...Guid, description: 'The account that lifted or replaced the ban.' })),
    liftedByEmail: memberEmail,
    liftedAt: Nullable(Timestamp),
  },
  { title: 'PlayerBan' },
);

/** The body is optional. */
export const ForceLogoutRequest = Nullable(
  Type.Object(
    {
      message: Type.Optional(
        Nullable(
          Type.String({
            maxLength: 256,
            transform: ['trim'],
            description: 'Stored with each session in the logout ledger.',
          }),
        ),
      ),
    },
    { title: 'ForceLogoutRequest' },
  ),
);

export const ForceLogoutResult = Type.Object(
  { endedSessions: Type.Integer() },
  { title: 'ForceLogoutResult' },
);
