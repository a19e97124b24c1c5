import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { endPlayerSessions } from '../../sign-in/sessions/index.ts';
import { auditPlayer } from './audit-player.ts';
import { lockAccess, type PlayerRef } from './player-queries.ts';
import { playerNotFound } from './read-player.ts';

/**
 * Ends all open sessions of a player in a tenant with the reason `kicked`, including those of concurrent sign-ins. Returns their number.
 * Writes an audit record if there were any. The player can sign in again. Throws player_not_found.
 */
export async function forceLogout(
  database: Database,
  player: PlayerRef,
  message: string | null,
  author: Author,
): Promise<{ endedSessions: number }> {
  const { tenantId, playerId } = player;
  return database.forTenant(tenantId, playerId).transaction(async (transaction) => {
    if (!(await lockAccess(transaction, player))) throw playerNotFound();
    const endedSessions = await endPlayerSessions(
      transaction,
      playerId,
      { tenantId },
      { reason: 'kicked', message },
    );
    if (endedSessions > 0) {
      const details = { endedSessions, message };
      await auditPlayer(transaction, author, player, 'player.force_logged_out', details);
    }
    return { endedSessions };
  });
}
