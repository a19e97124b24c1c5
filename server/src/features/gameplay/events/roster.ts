import { LRUCache } from 'lru-cache';
import type { Database } from '../../../database/database.ts';
import { findRoster } from '../matches/index.ts';

/** Where a match player belongs. */
export interface RosterEntry {
  matchSessionId: string;
  playerId: string;
}

export interface Rosters {
  /** The roster entries of these match players, as far as they exist in the tenant, by their id. */
  find(tenantId: string, matchPlayerIds: Iterable<string>): Promise<Map<string, RosterEntry>>;
}

const REMEMBERED_ENTRIES = 100_000;

/** Looks up roster entries. One never changes once it is made, so it is remembered without being watched. */
export function createRosters(database: Database): Rosters {
  const known = new LRUCache<string, RosterEntry>({ max: REMEMBERED_ENTRIES });
  return {
    async find(tenantId, matchPlayerIds) {
      const found = new Map<string, RosterEntry>();
      const missing: string[] = [];
      for (const id of matchPlayerIds) {
        const entry = known.get(tenantId + id);
        if (entry) found.set(id, entry);
        else missing.push(id);
      }
      if (missing.length === 0) return found;
      for (const { matchPlayerId, ...entry } of await findRoster(
        database.forTenant(tenantId),
        tenantId,
        missing,
      )) {
        found.set(matchPlayerId, entry);
        known.set(tenantId + matchPlayerId, entry);
      }
      return found;
    },
  };
}
