import type { ChangeFeed } from '../../../database/change-feed.ts';
import type { Database } from '../../../database/database.ts';
import { createCache } from '../../../database/cache.ts';
import type { Role } from '../../../core/role.ts';
import type { Place } from '../../../http/credentials.ts';
import { findRole } from './queries.ts';

const MAX_CACHED_ROLES = 10_000;

export interface Memberships {
  /** Returns the role of an account in a workspace or tenant, or undefined if it is not a member. */
  role(accountId: string, place: Place): Promise<Role | undefined>;
  /** Empties the cache. A process calls this after it changes a role. */
  invalidate(): void;
}

/** Caches the roles of accounts until a change invalidates them. */
export function createMemberships(database: Database, changes: ChangeFeed): Memberships {
  const cache = createCache<{ role: Role }>('roles', changes, ['memberships', 'tenants'], MAX_CACHED_ROLES);
  return {
    async role(accountId, place) {
      const name = 'tenantId' in place ? `tenant ${place.tenantId}` : `workspace ${place.workspaceId}`;
      const found = await cache.get(`${accountId} ${name}`, () => findRole(database, accountId, place));
      return found?.role;
    },
    invalidate: () => cache.invalidate(),
  };
}
