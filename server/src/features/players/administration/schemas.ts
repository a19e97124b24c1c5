import { Type } from 'typebox';
import { Guid, Name, Nullable, OneOf, PageQuery, Timestamp } from '../../../http/schemas.ts';
import { visibilities } from '../../../core/visibility.ts';
import { platformFields } from '../../sign-in/login/index.ts';
import { logoutReasons } from '../../sign-in/sessions/index.ts';
import { providers } from '../../studio/tenants/index.ts';
import { sortKeys, type Sort } from './search-queries.ts';

export const TenantPlayerPath = Type.Object({ tenantId: Guid, playerId: Guid });

export const PlayersQuery = Type.Object({
  ...PageQuery.properties,
  search: Type.Optional(
    Name(
      128,
      'A player’s id, or the beginning of their name, provider user id or email address. Only sign-in methods that were used in this ' +
        'tenant are searched. Case is ignored. There are no wildcards.',
    ),
  ),
  sort: OneOf<Sort>([...sortKeys, ...sortKeys.map((key) => `-${key}` as const)], {
    title: 'PlayerSort',
    default: '-lastSeenAt',
    description:
      'A minus means descending. Names sort by the code points of their lower case. Players without a name sort before all others.',
  }),
  banned: Type.Optional(
    Type.Boolean({ description: 'True: only players with an active ban. False: only players without one.' }),
  ),
  hidden: Type.Optional(
    Type.Boolean({
      description: 'True: only players hidden from discovery. False: only players who are not.',
    }),
  ),
  authProvider: Type.Optional(
    OneOf(providers, {
      title: 'AuthProvider',
      description: 'Only players who have signed in to this tenant with this provider.',
    }),
  ),
});

/** A player as the tenant sees them: see docs/decisions/0026-player-search.md. */
export const TenantPlayer = Type.Object(
  {
    playerId: Guid,
    displayName: Nullable(Type.String()),
    avatarUrl: Nullable(Type.String()),
    profileVisibility: OneOf(visibilities, {
      title: 'ProfileVisibility',
      description:
        'How much of the profile others see. The tenant’s administrators see the name and avatar of all players.',
    }),
    isActive: Type.Boolean({ description: 'False after the profile was deleted.' }),
    tenantRole: Type.String({ description: 'The player’s role in the game. The default is `player`.' }),
    hiddenFromDiscovery: Type.Boolean({
      description: 'API keys do not find the player, and the game is not listed on their public profile.',
    }),
    firstSeenAt: Timestamp,
    lastSeenAt: Timestamp,
    loginCount: Type.Integer({ description: 'Counts and times are of this tenant only.' }),
    ban: Type.Unsafe<{ reason: string | null; until: string | null } | null>({
      ...Type.Object(
        {
          reason: Nullable(Type.String()),
          until: Nullable(Type.String({ ...Timestamp, description: 'Null: until the ban is lifted.' })),
        },
        { title: 'ActivePlayerBan' },
      ),
      type: ['object', 'null'],
      description: 'The active ban, or null.',
    }),
    authMethods: Type.Array(
      Type.Object(
        {
          id: Guid,
          authProvider: OneOf(providers, { title: 'AuthProvider' }),
          providerUserId: Type.String(),
          email: Nullable(Type.String()),
          username: Nullable(Type.String()),
          firstUsedAt: Type.String({ ...Timestamp, description: 'The first use in this tenant.' }),
        },
        { title: 'TenantAuthMethod' },
      ),
      {
        maxItems: 100,
        description: 'The sign-in methods that the player has used in this tenant. Others are not shown.',
      },
    ),
  },
  { title: 'TenantPlayer' },
);

export const TenantPlayersRequest = Type.Object(
  {
    playerIds: Type.Array(Guid, { minItems: 1, maxItems: 100, description: 'Repeated ids count once.' }),
  },
  { title: 'TenantPlayersRequest' },
);

export const TenantPlayersResult = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          ...TenantPlayer.properties,
          requestedId: Type.String({
            ...Guid,
            description: 'The id in the request. It differs from `playerId` if that profile was merged.',
          }),
        },
        { title: 'RequestedTenantPlayer' },
      ),
      {
        maxItems: 100,
        description: 'One item for each id that is not in `notFound`, in the order of `playerIds`.',
      },
    ),
    notFound: Type.Array(Guid, { maxItems: 100, description: 'Ids that are not players of the tenant.' }),
  },
  { title: 'TenantPlayersResult' },
);

export const TenantPlayerDetail = Type.Object(
  {
    ...TenantPlayer.properties,
    mergedProfileIds: Type.Array(Guid, {
      maxItems: 100,
      description:
        'The merged profiles of the player that this tenant knew. Matches, events, sessions and audit records keep these ids. Requests ' +
        'for them by `playerId` include those of all profiles.',
    }),
    counts: Type.Object(
      {
        sessions: Type.Integer(),
        openSessions: Type.Integer({ description: 'Sessions that have not ended.' }),
        devices: Type.Integer(),
        bans: Type.Integer({ description: 'Active, expired and lifted bans.' }),
      },
      { title: 'TenantPlayerCounts' },
    ),
  },
  { title: 'TenantPlayerDetail' },
);

export const UpdateTenantPlayerRequest = Type.Object(
  {
    tenantRole: Type.Optional(Name(64, 'Any text. The game defines its meaning.')),
    hiddenFromDiscovery: Type.Optional(Type.Boolean()),
  },
  { title: 'UpdateTenantPlayerRequest' },
);

export const TenantPlayerSession = Type.Object(
  {
    sessionId: Guid,
    isActive: Type.Boolean({
      description:
        'Whether the session has not ended. It may have expired: for matches, a session is valid for 2 hours after its sign-in.',
    }),
    startedAt: Timestamp,
    lastSeenAt: Timestamp,
    endedAt: Nullable(Timestamp),
    endReason: Nullable(OneOf(logoutReasons, { title: 'LogoutReason' })),
    authProvider: Type.String(),
    ...platformFields,
    deviceId: Nullable(Guid),
    clientVersion: Nullable(Type.String()),
    ipAddress: Nullable(Type.String()),
  },
  { title: 'TenantPlayerSession' },
);

export const TenantPlayerDevice = Type.Object(
  {
    id: Guid,
    deviceFingerprint: Type.String(),
    ...platformFields,
    hardwareModel: Nullable(Type.String()),
    osVersion: Nullable(Type.String()),
    isBlocked: Type.Boolean({
      description: 'Whether the player has blocked the device. Logins from it are refused.',
    }),
    firstSeenAt: Type.String({ ...Timestamp, description: 'Times and counts are of this tenant only.' }),
    lastSeenAt: Timestamp,
    loginCount: Type.Integer(),
  },
  { title: 'TenantPlayerDevice' },
);
