import type pg from 'pg';
import { SYSTEM } from '../../../core/author.ts';
import { ownerQuerier } from '../../../database/scope.ts';
import type { AuditAction } from './actions.ts';
import { audit } from './audit-trail.ts';

/**
 * Writes an audit record in a transaction of the owner. So a process that is killed leaves both the change and its record, or neither.
 * Acts as the application: row-level security can apply to the owner of the tables, and no policy lets it insert audit records.
 */
export async function auditUpkeep(
  client: pg.ClientBase,
  action: AuditAction,
  details: Record<string, unknown>,
): Promise<void> {
  await client.query('SET LOCAL ROLE guildhall_app');
  await audit(ownerQuerier(client), { ...SYSTEM, action, details });
  await client.query('RESET ROLE');
}
