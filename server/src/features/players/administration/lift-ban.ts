import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { deleteBanFingerprints, liftBans, setBannedUntil } from './queries.ts';

/** Lets a player sign in again; audited where they were banned. What the ban revoked stays so. Throws player_not_found. */
export async function liftBan(
  database: Database,
  tenantId: string,
  playerId: string,
  author: Author,
): Promise<void> {
  await database.forTenant(tenantId).transaction(async (transaction) => {
    if (!(await setBannedUntil(transaction, tenantId, playerId, null)))
      throw new ProblemError('player_not_found', 'The tenant has no such player.');
    await deleteBanFingerprints(transaction, tenantId, playerId);
    const [lifted] = await liftBans(transaction, tenantId, playerId, author.actor.id!);
    if (!lifted) return;
    await auditTrail(transaction, [
      { ...author, action: 'player.ban_lifted', tenantId, targetId: playerId, details: { banId: lifted.id } },
    ]);
  });
}
