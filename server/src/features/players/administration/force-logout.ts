import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { audit } from '../../platform/audit/index.ts';
import { endPlayerSessions } from '../../sign-in/sessions/index.ts';
import { lockAccess } from './moderation-queries.ts';
import { playerNotFound } from './read-player.ts';

/**
 * Ends all open sessions of a player in a tenant with the reason `kicked`, including those of concurrent sign-ins. Returns their number.
 * Writes an audit record if there were any. The player can sign in again. Throws player_not_found.
 */
export async function forceLogout(
  database: Database,
  { tenantId, playerId, message }: { tenantId: string; playerId: string; message: string | null },
  author: Author,
): Promise<{ endedSessions: number }> {
  return database.forTenant(tenantId, playerId).transaction(async (transaction) => {
    if (!(await lockAccess(transaction, tenantId, playerId))) throw playerNotFound();
    const endedSessions = await endPlayerSessions(
      transaction,
      playerId,
      { tenantId },
      { reason: 'kicked', message },
    );
    if (endedSessions > 0) {
      await audit(transaction, {
        ...author,
        action: 'player.force_logged_out',
        tenantId,
        targetId: playerId,
        details: { endedSessions, message },
      });
    }
    return { endedSessions };
  });
}
