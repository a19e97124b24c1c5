import type { ChangeFeed } from '../../../database/change-feed.ts';
import type { Database } from '../../../database/database.ts';
import { createCache } from '../../../database/cache.ts';
import type { Place, Role } from '../../../core/role.ts';
import { findRole } from './queries.ts';

const MAX_CACHED_ROLES = 10_000;

export interface Memberships {
  /** Returns the role of an account in a workspace or tenant, or undefined if it is not a member. */
  role(accountId: string, place: Place): Promise<Role | undefined>;
  /** Invalidates the roles of an account. A process calls this after it changes one. */
  invalidate(accountId: string): void;
}

interface CachedRole {
  role: Role;
  accountId: string;
  /** The workspace or the tenant. */
  placeId: string;
}

/** Caches the roles of accounts until a change invalidates them. */
export function createMemberships(database: Database, changes: ChangeFeed): Memberships {
  const cache = createCache<CachedRole>({
    name: 'roles',
    changes,
    tables: ['memberships', 'tenants'],
    max: MAX_CACHED_ROLES,
    idsOf: ({ accountId, placeId }) => [accountId, placeId],
  });
  return {
    async role(accountId, place) {
      const [kind, placeId] =
        'tenantId' in place ? ['tenant', place.tenantId] : ['workspace', place.workspaceId];
      const found = await cache.get(`${accountId} ${kind} ${placeId}`, async () => {
        const member = await findRole(database, accountId, place);
        return member && { ...member, accountId, placeId };
      });
      return found?.role;
    },
    invalidate: cache.invalidate,
  };
}
