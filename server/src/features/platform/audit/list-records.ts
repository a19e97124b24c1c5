import type { Database } from '../../../database/database.ts';
import type { Place } from '../../../http/credentials.ts';
import {
  listAllRecords,
  listTenantRecords,
  listWorkspaceRecords,
  type AuditFilter,
  type AuditRecord,
} from './queries.ts';

/** A page of the audit trail, and where the next one begins. */
export interface AuditPage {
  items: AuditRecord[];
  nextCursor?: string;
  hasMore: boolean;
}

/**
 * What was done in a tenant, in a workspace and all of its tenants, or in the whole deployment, the newest first. The cursor is the id of the last
 * record seen; records that come later do not move the pages.
 */
export async function listAuditRecords(
  database: Database,
  place: Place | 'everywhere',
  { limit, ...filter }: AuditFilter & { limit: number },
): Promise<AuditPage> {
  // One more than asked for tells whether there is a next page.
  const page = { ...filter, limit: limit + 1 };
  const found = await listFor(database, place, page);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return found.length > limit && last
    ? { items, nextCursor: last.id, hasMore: true }
    : { items, hasMore: false };
}

function listFor(
  database: Database,
  place: Place | 'everywhere',
  page: AuditFilter & { limit: number },
): Promise<AuditRecord[]> {
  if (place === 'everywhere') return listAllRecords(database.forPlatform(), page);
  return 'tenantId' in place
    ? listTenantRecords(database.forTenant(place.tenantId), place.tenantId, page)
    : listWorkspaceRecords(database.forWorkspace(place.workspaceId), place.workspaceId, page);
}
