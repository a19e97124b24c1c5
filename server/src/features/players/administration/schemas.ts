import { Type } from 'typebox';
import { Guid, Name, Nullable, OneOf, PageQuery, Timestamp } from '../../../http/schemas.ts';
import { platforms } from '../../sign-in/login/index.ts';
import { providers } from '../../studio/tenants/index.ts';
import { sortKeys, type Sort } from './search-queries.ts';

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

/** `sort` is one word, as a list is sorted by one thing. */
export const PlayersQuery = Type.Object({
  ...PageQuery.properties,
  search: Type.Optional(
    Name(
      128,
      'A player’s id; or what their name begins with, or the provider user id or e-mail address of a sign-in method that they ' +
        'have used in this tenant. EmailContent case does not matter, and no character has a meaning of its own.',
    ),
  ),
  sort: OneOf<Sort>([...sortKeys, ...sortKeys.map((key) => `-${key}` as const)], {
    default: '-lastSeenAt',
    description:
      'A minus turns it round. Names are in the order of their code points in lower case, and no name comes before all.',
  }),
  banned: Type.Optional(Type.Boolean({ description: 'Those with a ban in force alone, or those without.' })),
  hidden: Type.Optional(
    Type.Boolean({ description: 'Those hidden from discovery alone, or those who are not.' }),
  ),
  authProvider: Type.Optional(
    OneOf(providers, { description: 'Those who have signed in to this tenant with it.' }),
  ),
});

/** A player as their tenant sees them (docs/decisions/0026-player-search.md). */
export const TenantPlayer = Type.Object({
  playerId: Guid,
  displayName: Nullable(Type.String()),
  avatarUrl: Nullable(Type.String()),
  profileVisibility: OneOf(['private', 'limited', 'full'], {
    description:
      'What others see of the profile. The tenant’s own administrators see name and picture of all.',
  }),
  isActive: Type.Boolean({ description: 'False once the profile is deleted.' }),
  tenantRole: Type.String({ description: 'The player’s role in the game, `player` at first.' }),
  hiddenFromDiscovery: Type.Boolean({
    description: 'API keys do not find the player, and the game is missing on their public profile.',
  }),
  firstSeenAt: Timestamp,
  lastSeenAt: Timestamp,
  loginCount: Type.Integer({ description: 'Of this tenant, as all counts and times are.' }),
  ban: Type.Unsafe<{ reason: string | null; until: string | null } | null>({
    ...Type.Object({
      reason: Nullable(Type.String()),
      until: Nullable(Type.String({ ...Timestamp, description: 'Null: until lifted.' })),
    }),
    type: ['object', 'null'],
    description: 'The ban in force; null where there is none.',
  }),
  authMethods: Type.Array(
    Type.Object({
      id: Guid,
      authProvider: OneOf(providers),
      providerUserId: Type.String(),
      email: Nullable(Type.String()),
      username: Nullable(Type.String()),
      firstUsedAt: Type.String({ ...Timestamp, description: 'In this tenant.' }),
    }),
    {
      maxItems: 100,
      description:
        'Those that the player has signed in to this tenant with. What they use elsewhere is not shown.',
    },
  ),
});

export const TenantPlayerDetail = Type.Object({
  ...TenantPlayer.properties,
  counts: Type.Object({
    sessions: Type.Integer(),
    openSessions: Type.Integer({ description: 'Those that have not ended.' }),
    devices: Type.Integer(),
    bans: Type.Integer({ description: 'In force, expired and lifted.' }),
  }),
});

export const ChangePlayerBody = Type.Object({
  tenantRole: Type.Optional(Name(64, 'Any text: what it means is the game’s to say.')),
  hiddenFromDiscovery: Type.Optional(Type.Boolean()),
});

const platform = {
  platform: OneOf(platforms),
  platformDisplayName: Type.String({ description: 'The platform as people read it: "Console B5 Pro".' }),
};

export const PlayerSession = Type.Object({
  sessionId: Guid,
  isActive: Type.Boolean({ description: 'Not ended. Two hours after it was last seen it has expired.' }),
  startedAt: Timestamp,
  lastSeenAt: Timestamp,
  endedAt: Nullable(Timestamp),
  authProvider: Type.String(),
  ...platform,
  deviceId: Nullable(Guid),
  clientVersion: Nullable(Type.String()),
  ipAddress: Nullable(Type.String()),
});

export const PlayerDevice = Type.Object({
  id: Guid,
  deviceFingerprint: Type.String(),
  ...platform,
  hardwareModel: Nullable(Type.String()),
  osVersion: Nullable(Type.String()),
  isBlocked: Type.Boolean({ description: 'By the player: nobody signs in from it.' }),
  firstSeenAt: Type.String({ ...Timestamp, description: 'In this tenant, as the other time and the count.' }),
  lastSeenAt: Timestamp,
  loginCount: Type.Integer(),
});
