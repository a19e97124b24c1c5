import { Type } from 'typebox';
import { Guid, LargeInteger, Nullable, OneOf, Timestamp } from '../../../../http/schemas.ts';
import { visibilities } from '../../../../core/visibility.ts';
import { StoredEvent } from '../../../gameplay/events/index.ts';
import { platforms } from '../../../sign-in/login/index.ts';
import { logoutReasons } from '../../../sign-in/sessions/index.ts';
import { Device } from '../devices/schemas.ts';
import { FullPlayerProfile } from '../schemas.ts';

const client = {
  authProvider: Type.String(),
  deviceId: Nullable(Guid),
  platform: OneOf(platforms, { title: 'Platform' }),
  clientVersion: Nullable(Type.String()),
};

const ERASED = 'Null if the profile was deleted, because its key was destroyed.';
const erasable = Nullable(Type.Record(Type.String(), Type.Unknown(), { description: ERASED }));

const ExportedBan = Type.Object(
  {
    id: Guid,
    tenantId: Guid,
    reason: Nullable(Type.String()),
    until: Nullable(Type.String({ ...Timestamp, description: 'Null: until the ban is lifted.' })),
    bannedAt: Timestamp,
    liftedAt: Nullable(Timestamp),
  },
  { title: 'ExportedBan' },
);

const thirdParty = {
  tenantId: Guid,
  sessionId: Guid,
  audience: Type.String({ description: 'Who got a refresh token for the player.' }),
  expiresAt: Timestamp,
  revokedAt: Nullable(Timestamp),
};

const ExportedSession = Type.Object(
  {
    sessionId: Guid,
    tenantId: Guid,
    startedAt: Timestamp,
    lastSeenAt: Timestamp,
    endedAt: Nullable(Timestamp),
    ...client,
    lastIpAddress: Nullable(Type.String()),
  },
  { title: 'ExportedSession' },
);

const ExportedLogin = Type.Object(
  {
    id: Guid,
    sessionId: Guid,
    tenantId: Guid,
    authMethodId: Nullable(Guid),
    ...client,
    clientBuild: Nullable(Type.String()),
    occurredAt: Timestamp,
    receivedAt: Timestamp,
    ipAddress: Nullable(Type.String({ description: ERASED })),
    metadata: erasable,
  },
  { title: 'ExportedLogin' },
);

const ExportedLogout = Type.Object(
  {
    id: Guid,
    sessionId: Guid,
    tenantId: Guid,
    reason: OneOf(logoutReasons, { title: 'LogoutReason' }),
    message: Nullable(Type.String()),
    occurredAt: Timestamp,
    receivedAt: Timestamp,
    metadata: erasable,
  },
  { title: 'ExportedLogout' },
);

const ExportedMatch = Type.Object(
  {
    tenantId: Guid,
    matchSessionId: Guid,
    matchPlayerId: Guid,
    mode: Nullable(Type.String()),
    startedAt: Timestamp,
    endedAt: Nullable(Timestamp),
    joinedAt: Timestamp,
    leftAt: Nullable(Timestamp),
    placement: Nullable(Type.Integer()),
    score: Nullable(LargeInteger()),
    outcome: Nullable(Type.String()),
  },
  { title: 'ExportedMatch' },
);

const ExportedEvent = Type.Object({ tenantId: Guid, ...StoredEvent.properties }, { title: 'ExportedEvent' });

/** The lists that the exports of a player and of a tenant have in common. */
export const exportedLists = {
  bans: Type.Array(ExportedBan),
  sessions: Type.Array(ExportedSession),
  logins: Type.Array(ExportedLogin),
  logouts: Type.Array(ExportedLogout),
  matches: Type.Array(ExportedMatch),
  matchEvents: Type.Array(ExportedEvent),
  playerEvents: Type.Array(ExportedEvent),
};

/** Third parties as a tenant sees them: what they know of the player can be unknown to the tenant. */
export const TenantThirdParty = Type.Object(thirdParty, { title: 'TenantThirdParty' });

/** Everything about a player, over all tenants. */
export const PlayerDataExport = Type.Object(
  {
    exportedAt: Timestamp,
    profile: FullPlayerProfile,
    mergedProfiles: Type.Array(
      Type.Object(
        {
          id: Guid,
          createdAt: Timestamp,
          profileVisibility: OneOf(visibilities, { title: 'ProfileVisibility' }),
        },
        { title: 'ExportedMergedProfile' },
      ),
    ),
    emailAddresses: Type.Array(
      Type.Object(
        { email: Type.String(), verifiedAt: Nullable(Timestamp) },
        { title: 'ExportedEmailAddress' },
      ),
    ),
    devices: Type.Array(Device),
    portalSessions: Type.Array(
      Type.Object(
        { sessionId: Guid, startedAt: Timestamp, endedAt: Nullable(Timestamp) },
        { title: 'ExportedPortalSession' },
      ),
    ),
    thirdParties: Type.Array(
      Type.Object(
        { ...thirdParty, displayName: Nullable(Type.String()), email: Nullable(Type.String()) },
        { title: 'ExportedThirdParty' },
      ),
    ),
    ...exportedLists,
  },
  { title: 'PlayerDataExport' },
);
