import type { ChangeFeed } from '../../../database/change-feed.ts';
import { createCache } from '../../../database/cache.ts';
import type { Database, Querier } from '../../../database/database.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { ProblemError } from '../../../core/problem.ts';
import { countTenants, findTenant, listTenants, type Tenant } from './queries.ts';

const MAX_CACHED_TENANTS = 10_000;

/** Returns a page of the tenants of a workspace. */
export async function readTenants(db: Querier, workspaceId: string, page: PageRequest) {
  return readPage(page, listTenants(db, workspaceId, page), countTenants(db, workspaceId));
}

/** Returns a tenant. Throws not_found. */
export async function readTenant(db: Querier, tenantId: string): Promise<Tenant> {
  const found = await findTenant(db, tenantId);
  if (!found) throw new ProblemError('not_found');
  return found;
}

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
