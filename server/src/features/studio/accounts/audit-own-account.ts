import type { Querier } from '../../../database/database.ts';
import type { Self } from '../../../core/author.ts';
import { audit, type AuditAction } from '../../platform/audit/index.ts';

/** Writes the audit record of a change that an account makes to itself, in the caller's transaction. */
export function auditOwnAccount(
  transaction: Querier,
  { accountId, origin }: Pick<Self, 'accountId' | 'origin'>,
  action: AuditAction,
  details: Record<string, unknown>,
  targetId = accountId,
): Promise<void> {
  const actor = { kind: 'account' as const, id: accountId };
  return audit(transaction, { actor, origin, action, targetId, details });
}
