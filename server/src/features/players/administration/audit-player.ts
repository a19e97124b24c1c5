import type { Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { audit, type AuditAction } from '../../platform/audit/index.ts';
import type { PlayerRef } from './player-queries.ts';

/** Writes the audit record of an action on a player of a tenant. */
export function auditPlayer(
  db: Querier,
  author: Author,
  { tenantId, playerId }: PlayerRef,
  action: AuditAction,
  details: Record<string, unknown>,
): Promise<void> {
  return audit(db, { ...author, action, tenantId, targetId: playerId, details });
}
