import type { Database } from '../../../database/database.ts';
import { EMPTY_GUID } from '../../../core/ids.ts';
import { findTenantProfiles, type Profile } from './queries.ts';
import { isVisibleToOutsiders, summaryOf } from './views.ts';

export interface BulkLookup {
  items: (Profile & { tenantAccess: TenantAccess[] })[];
  /** Ids that were asked for, but of whom the caller may not know. */
  notFound: string[];
  requestedCount: number;
  processedCount: number;
  returnedCount: number;
}

/** A player's access record in a tenant (spec: player profile views). */
export interface TenantAccess {
  tenantId: string;
  tenantRole: string;
  firstSeenAt: string;
  lastSeenAt: string;
  loginCount: number;
}

/**
 * What the holder of an API key sees of many players. Every id that counts ends as one item or in `notFound`, both in the
 * order of the request: so two ids of one player, who was merged, give that player twice.
 */
export async function lookUpProfiles(
  database: Database,
  tenantId: string,
  playerIds: string[],
): Promise<BulkLookup> {
  const asked = [...new Set(playerIds)].filter((id) => id !== EMPTY_GUID);
  const profiles = await findTenantProfiles(database.forTenant(tenantId), tenantId, asked);
  const found = new Map(profiles.map((profile) => [profile.askedId, profile]));
  const items: BulkLookup['items'] = [];
  const notFound: string[] = [];
  for (const id of asked) {
    const profile = found.get(id);
    if (!profile || !isVisibleToOutsiders(profile)) {
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
    processedCount: asked.length,
    returnedCount: items.length,
  };
}
