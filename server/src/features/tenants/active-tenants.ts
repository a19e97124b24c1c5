import type { ChangeFeed } from '../../database/change-feed.ts';
import type { Database } from '../../database/database.ts';
import { remember } from '../../database/remembered.ts';
import { findTenant, type Tenant } from './queries.ts';

const REMEMBERED_TENANTS = 10_000;

/** Says whether a tenant is there and not disabled, and remembers it until one changes. */
export function openActiveTenants(
  database: Database,
  changes: ChangeFeed,
): (tenantId: string) => Promise<boolean> {
  const known = remember<Tenant>(changes, ['tenants'], REMEMBERED_TENANTS);
  return async (tenantId) => {
    const tenant = await known.get(tenantId, () => findTenant(database, tenantId));
    return tenant?.isActive ?? false;
  };
}
