import type { ChangeFeed } from '../../../database/change-feed.ts';
import type { Database } from '../../../database/database.ts';
import { createCache } from '../../../database/cache.ts';
import type { Role } from '../../../core/role.ts';
import type { Place } from '../../../http/credentials.ts';
import { findRole } from './queries.ts';

const REMEMBERED_ROLES = 10_000;

export interface Memberships {
  /** What an account may do in a workspace or tenant; undefined where it is no member. */
  role(accountId: string, place: Place): Promise<Role | undefined>;
  /** For the process that changes roles: they are looked up again. */
  invalidate(): void;
}

/** Looks up who may do what, and remembers it until somebody's role changes. */
export function createMemberships(database: Database, changes: ChangeFeed): Memberships {
  const known = createCache<{ role: Role }>(changes, ['memberships', 'tenants'], REMEMBERED_ROLES);
  return {
    async role(accountId, place) {
      const name = 'tenantId' in place ? `tenant ${place.tenantId}` : `workspace ${place.workspaceId}`;
      const found = await known.get(`${accountId} ${name}`, () => findRole(database, accountId, place));
      return found?.role;
    },
    invalidate: () => known.invalidate(),
  };
}
