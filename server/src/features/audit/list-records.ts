import type { Database } from '../../database/database.ts';
import type { Place } from '../../http/credentials.ts';
import { listTenantRecords, listWorkspaceRecords, type AuditFilter, type AuditRecord } from './queries.ts';

/** A page of the audit trail, and where the next one begins. */
export interface AuditPage {
  items: AuditRecord[];
  nextCursor?: string;
  hasMore: boolean;
}

/**
 * What was done in a tenant, or in a workspace and all of its tenants, the newest first. The cursor is the id of the last
 * record seen; records that come later do not move the pages.
 */
export async function listAuditRecords(
  database: Database,
  place: Place,
  { limit, ...filter }: AuditFilter & { limit: number },
): Promise<AuditPage> {
  // One more than asked for tells whether there is a next page.
  const page = { ...filter, limit: limit + 1 };
  const found =
    'tenantId' in place
      ? await listTenantRecords(database.forTenant(place.tenantId), place.tenantId, page)
      : await listWorkspaceRecords(database.forWorkspace(place.workspaceId), place.workspaceId, page);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return found.length > limit && last
    ? { items, nextCursor: last.id, hasMore: true }
    : { items, hasMore: false };
}
