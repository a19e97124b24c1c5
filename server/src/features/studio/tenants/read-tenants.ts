import type { Database, Querier } from '../../../database/database.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { ProblemError } from '../../../core/problem.ts';
import { countTenants, findTenant, listTenants, type Tenant } from './queries.ts';

/** Returns a page of the tenants of a workspace. */
export async function readTenants(database: Database, workspaceId: string, page: PageRequest) {
  const workspace = database.forWorkspace(workspaceId);
  return readPage(page, listTenants(workspace, workspaceId, page), countTenants(workspace, workspaceId));
}

/** Returns a tenant. Throws not_found. */
export async function readTenant(db: Querier, tenantId: string): Promise<Tenant> {
  const found = await findTenant(db, tenantId);
  if (!found) throw new ProblemError('not_found');
  return found;
}
