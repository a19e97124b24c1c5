import { cursorPage, type CursorPage } from '../../../core/page.ts';
import type { Database, Scope } from '../../../database/database.ts';
import { isGuid } from '../../../core/ids.ts';
import { findProfilesOf } from '../../players/merged-profiles/index.ts';
import { listRecords, type AuditOwner, type AuditPageRequest, type AuditRecord } from './queries.ts';

/**
 * Returns the audit records of a tenant, of a workspace with its tenants, or of the whole deployment, newest first. In a tenant, those
 * of a player include those of merged profiles. The cursor is the id of the last record of the page, so new records do not shift the
 * pages.
 */
export async function listAuditRecords(
  database: Database,
  owner: AuditOwner,
  { limit, targetId, ...filter }: Omit<AuditPageRequest, 'targetIds'> & { targetId?: string },
): Promise<CursorPage<AuditRecord>> {
  const targetIds = targetId === undefined ? undefined : await targetsOf(database, owner, targetId);
  const found = await listRecords(scopeOf(database, owner), owner, {
    ...filter,
    targetIds,
    limit: limit + 1,
  });
  return cursorPage(found, limit, ({ id }) => id);
}

/** A record keeps the id that the player had. Targets that are no UUIDs, such as providers, have names in exact letters. */
async function targetsOf(database: Database, owner: AuditOwner, targetId: string): Promise<string[]> {
  if (!isGuid(targetId)) return [targetId];
  if (owner === 'deployment' || !('tenantId' in owner)) return [targetId.toLowerCase()];
  return findProfilesOf(database.forTenant(owner.tenantId), owner.tenantId, [targetId]);
}

function scopeOf(database: Database, owner: AuditOwner): Scope {
  if (owner === 'deployment') return database.forPlatform();
  return 'tenantId' in owner
    ? database.heavy.forTenant(owner.tenantId)
    : database.heavy.forWorkspace(owner.workspaceId);
}
