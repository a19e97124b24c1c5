import type { ChangeFeed } from '../../../database/change-feed.ts';
import type { Database } from '../../../database/database.ts';
import { createCache } from '../../../database/cache.ts';
import { findTenant, type Tenant } from './queries.ts';

const REMEMBERED_TENANTS = 10_000;

/** Says whether a tenant is there and not disabled, and remembers it until one changes. */
export function createActiveTenants(
  database: Database,
  changes: ChangeFeed,
): (tenantId: string) => Promise<boolean> {
  const known = createCache<Tenant>(changes, ['tenants'], REMEMBERED_TENANTS);
  return async (tenantId) => {
    const tenant = await known.get(tenantId, () => findTenant(database.forTenant(tenantId), tenantId));
    return tenant?.isActive ?? false;
  };
}
