import { createLruCache } from '../../../../core/lru-cache.ts';
import type { Database } from '../../../../database/database.ts';
import { countCache } from '../../../../core/cache-counts.ts';
import { findRoster, type RosterEntry } from '../../matches/index.ts';

export interface Rosters {
  /** Returns the entries of the match players that exist in the tenant, by match player ID. */
  find(tenantId: string, matchPlayerIds: Iterable<string>): Promise<Map<string, RosterEntry>>;
}

const MAX_CACHED_ENTRIES = 100_000;

/** Creates a cache of roster entries. It has no invalidation, because the player and match of an entry never change. */
export function createRosters(database: Database): Rosters {
  const counts = countCache('rosters');
  const cache = createLruCache<string, RosterEntry>(MAX_CACHED_ENTRIES);
  return {
    async find(tenantId, matchPlayerIds) {
      const found = new Map<string, RosterEntry>();
      const missing: string[] = [];
      for (const id of matchPlayerIds) {
        const entry = cache.get(tenantId + id);
        if (entry) found.set(id, entry);
        else missing.push(id);
      }
      counts.hits += found.size;
      counts.misses += missing.length;
      if (missing.length === 0) return found;
      for (const entry of await findRoster(database.forTenant(tenantId), tenantId, missing)) {
        found.set(entry.matchPlayerId, entry);
        cache.set(tenantId + entry.matchPlayerId, entry);
      }
      return found;
    },
  };
}
