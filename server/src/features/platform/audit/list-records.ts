import type { Database } from '../../../database/database.ts';
import type { Place } from '../../../http/credentials.ts';
import {
  listAllRecords,
  listTenantRecords,
  listWorkspaceRecords,
  type AuditFilter,
  type AuditRecord,
} from './queries.ts';

/** A page of the audit trail with the cursor of the next page. */
export interface AuditPage {
  items: AuditRecord[];
  nextCursor?: string;
  hasMore: boolean;
}

/**
 * Returns the audit records of a tenant, of a workspace with its tenants, or of the whole deployment, newest first. The cursor
 * is the id of the last record of the page, so new records do not shift the pages.
 */
export async function listAuditRecords(
  database: Database,
  scope: Place | 'deployment',
  { limit, ...filter }: AuditFilter & { limit: number },
): Promise<AuditPage> {
  // One additional record shows whether there is a next page.
  const page = { ...filter, limit: limit + 1 };
  const found = await listFor(database, scope, page);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return found.length > limit && last
    ? { items, nextCursor: last.id, hasMore: true }
    : { items, hasMore: false };
}

function listFor(
  database: Database,
  scope: Place | 'deployment',
  page: AuditFilter & { limit: number },
): Promise<AuditRecord[]> {
  if (scope === 'deployment') return listAllRecords(database.forPlatform(), page);
  return 'tenantId' in scope
    ? listTenantRecords(database.forTenant(scope.tenantId), scope.tenantId, page)
    : listWorkspaceRecords(database.forWorkspace(scope.workspaceId), scope.workspaceId, page);
}
