import type { Database } from '../../../database/database.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import { EMPTY_GUID } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { TenantAccess } from '../profiles/index.ts';
import type { ProfileLookups } from './profile-lookups.ts';
import {
  findProfile,
  findTenantProfiles,
  listVisibleGames,
  type PlayedGame,
  type Profile,
  type TenantProfile,
} from './queries.ts';

/**
 * Looks up a player for a key of the tenant. A game key sees all players of its tenant, but only the id and visibility of private
 * ones. An API key sees only players who are neither private nor hidden. Throws not_found.
 */
export async function lookUpProfile(
  lookups: ProfileLookups,
  { tenantId, kind }: KeyCaller,
  playerId: string,
): Promise<Profile | Pick<Profile, 'id' | 'profileVisibility'>> {
  const profile = await lookups.find({ tenantId, playerId });
  if (!profile || (kind === 'api' && !isVisibleToApiKey(profile))) throw new ProblemError('not_found');
  const { id, profileVisibility } = profile;
  return profileVisibility === 'private' ? { id, profileVisibility } : summaryOf(profile);
}

interface BulkLookup {
  items: (Profile & { tenantAccess: TenantAccess[] })[];
  /** Requested ids that the API key may not see, or that do not exist. */
  notFound: string[];
  requestedCount: number;
  processedCount: number;
  returnedCount: number;
}

/**
 * Looks up several players for an API key. Each distinct id gives one item or one entry of `notFound`, both in the order of the
 * request. If two ids belong to one merged player, the result contains that player twice.
 */
export async function lookUpProfiles(
  database: Database,
  tenantId: string,
  playerIds: string[],
): Promise<BulkLookup> {
  const distinctIds = [...new Set(playerIds)].filter((id) => id !== EMPTY_GUID);
  const profiles = await findTenantProfiles(database.forBatch(tenantId), tenantId, distinctIds);
  const byRequestedId = new Map(profiles.map((profile) => [profile.requestedId, profile]));
  const items: BulkLookup['items'] = [];
  const notFound: string[] = [];
  for (const id of distinctIds) {
    const profile = byRequestedId.get(id);
    if (!profile || !isVisibleToApiKey(profile)) {
      notFound.push(id);
      continue;
    }
    const { tenantRole, firstSeenAt, lastSeenAt, loginCount } = profile;
    items.push({
      ...summaryOf(profile),
      tenantAccess: [{ tenantId, tenantRole, firstSeenAt, lastSeenAt, loginCount }],
    });
  }
  return {
    items,
    notFound,
    requestedCount: playerIds.length,
    processedCount: distinctIds.length,
    returnedCount: items.length,
  };
}

/** Reads a public profile. A full profile also shows the player's games. Throws not_found. */
export async function readPublicProfile(
  database: Database,
  playerId: string,
): Promise<Profile & { games: PlayedGame[] }> {
  const profile = await findProfile(database, playerId);
  if (!profile || profile.profileVisibility === 'private') throw new ProblemError('not_found');
  // The player's scope, because row-level security hides the access records of other tenants from any tenant's scope.
  const games =
    profile.profileVisibility === 'full'
      ? await listVisibleGames(database.forPlayer(profile.id), profile.id)
      : [];
  return { ...profile, games };
}

function isVisibleToApiKey({ profileVisibility, isHidden }: TenantProfile): boolean {
  return profileVisibility !== 'private' && !isHidden;
}

/** The public fields of a player who is not private. */
function summaryOf({ id, displayName, avatarUrl, profileVisibility }: Profile): Profile {
  return { id, displayName, avatarUrl, profileVisibility };
}
