import { cursorPage, type CursorPage } from '../../../core/page.ts';
import type { Database } from '../../../database/database.ts';
import type { Place } from '../../../core/role.ts';
import { isGuid } from '../../../core/ids.ts';
import { findProfilesOf } from '../../players/merged-profiles/index.ts';
import {
  listAllRecords,
  listTenantRecords,
  listWorkspaceRecords,
  type AuditPageRequest,
  type AuditRecord,
} from './queries.ts';

/**
 * Returns the audit records of a tenant, of a workspace with its tenants, or of the whole deployment, newest first. In a tenant, those
 * of a player include those of merged profiles. The cursor is the id of the last record of the page, so new records do not shift the
 * pages.
 */
export async function listAuditRecords(
  database: Database,
  scope: Place | 'deployment',
  { limit, targetId, ...filter }: Omit<AuditPageRequest, 'targetIds'> & { targetId?: string },
): Promise<CursorPage<AuditRecord>> {
  const targetIds = targetId === undefined ? undefined : await targetsOf(database, scope, targetId);
  const found = await listFor(database, scope, { ...filter, targetIds, limit: limit + 1 });
  return cursorPage(found, limit, ({ id }) => id);
}

/** A record keeps the id that the player had. Targets that are no UUIDs, such as providers, have names in exact letters. */
async function targetsOf(
  database: Database,
  scope: Place | 'deployment',
  targetId: string,
): Promise<string[]> {
  if (!isGuid(targetId)) return [targetId];
  if (scope === 'deployment' || !('tenantId' in scope)) return [targetId.toLowerCase()];
  return findProfilesOf(database.forTenant(scope.tenantId), scope.tenantId, [targetId]);
}

function listFor(
  database: Database,
  scope: Place | 'deployment',
  page: AuditPageRequest,
): Promise<AuditRecord[]> {
  if (scope === 'deployment') return listAllRecords(database.forPlatform(), page);
  return 'tenantId' in scope
    ? listTenantRecords(database.heavy.forTenant(scope.tenantId), scope.tenantId, page)
    : listWorkspaceRecords(database.heavy.forWorkspace(scope.workspaceId), scope.workspaceId, page);
}
