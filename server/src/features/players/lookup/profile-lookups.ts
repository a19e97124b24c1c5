import { createBatcher } from '../../../database/batcher.ts';
import type { Database } from '../../../database/database.ts';
import { findTenantProfile, findTenantProfiles, type TenantProfile } from './queries.ts';

interface Lookup {
  tenantId: string;
  playerId: string;
}

export interface ProfileLookups {
  /** Finds the active profile of an id, if it has an access record in the tenant. Nothing is cached. */
  find(lookup: Lookup): Promise<TenantProfile | undefined>;
  close(): Promise<void>;
}

/**
 * Creates the batcher of look-ups. Look-ups in one tenant that arrive together share a statement. It begins after the last of them
 * has arrived, so each of them sees what was committed before (docs/decisions/0043-batched-requests.md).
 */
export function createProfileLookups(database: Database): ProfileLookups {
  const batcher = createBatcher<Lookup, TenantProfile | undefined>({
    groupOf: ({ tenantId }) => tenantId,
    async run(lookups) {
      const { tenantId, playerId } = lookups[0]!;
      if (lookups.length === 1)
        return [{ answer: await findTenantProfile(database.forTenant(tenantId), tenantId, playerId) }];
      const playerIds = [...new Set(lookups.map((lookup) => lookup.playerId))];
      const found = await findTenantProfiles(database.forBatch(tenantId), tenantId, playerIds);
      const byRequestedId = new Map(found.map((profile) => [profile.requestedId, profile]));
      return lookups.map((lookup) => ({ answer: byRequestedId.get(lookup.playerId) }));
    },
  });
  return { find: (lookup) => batcher.submit(lookup), close: () => batcher.close() };
}
