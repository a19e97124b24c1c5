import { cursorPage, type CursorPage } from '../../../core/page.ts';
import type { Database } from '../../../database/database.ts';
import type { Place } from '../../../http/credentials.ts';
import {
  listAllRecords,
  listTenantRecords,
  listWorkspaceRecords,
  type AuditFilter,
  type AuditRecord,
} from './queries.ts';

/**
 * Returns the audit records of a tenant, of a workspace with its tenants, or of the whole deployment, newest first. The cursor
 * is the id of the last record of the page, so new records do not shift the pages.
 */
export async function listAuditRecords(
  database: Database,
  scope: Place | 'deployment',
  { limit, ...filter }: AuditFilter & { limit: number },
): Promise<CursorPage<AuditRecord>> {
  const found = await listFor(database, scope, { ...filter, limit: limit + 1 });
  return cursorPage(found, limit, ({ id }) => id);
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
