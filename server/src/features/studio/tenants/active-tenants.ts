import { createCache } from '../../../database/cache.ts';
import type { ChangeFeed } from '../../../database/change-feed.ts';
import type { Database } from '../../../database/database.ts';
import { findTenant, type Tenant } from './queries.ts';

const MAX_CACHED_TENANTS = 10_000;

/** Creates a cached check that a tenant exists and is not disabled. */
export function createActiveTenants(
  database: Database,
  changes: ChangeFeed,
): (tenantId: string) => Promise<boolean> {
  const cache = createCache<Pick<Tenant, 'isActive'>>({
    name: 'tenants',
    changes,
    tables: ['tenants'],
    max: MAX_CACHED_TENANTS,
  });
  return async (tenantId) => {
    const tenant = await cache.get(tenantId, () => findTenant(database.forTenant(tenantId), tenantId));
    return tenant?.isActive ?? false;
  };
}
