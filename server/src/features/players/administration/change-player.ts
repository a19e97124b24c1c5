import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { difference } from '../../platform/audit/index.ts';
import { auditPlayer } from './audit-player.ts';
import { lockAccess, updateSettings, type PlayerRef, type PlayerSettings } from './player-queries.ts';
import { playerNotFound, readPlayer, type PlayerDetail } from './read-player.ts';

/**
 * Changes a tenant's settings of a player. Fields that are left out do not change. Throws player_not_found, and too_many_reads and busy
 * after the change if the numbers of records cannot be read.
 */
export async function changePlayer(
  database: Database,
  player: PlayerRef,
  changes: Partial<PlayerSettings>,
  author: Author,
): Promise<PlayerDetail> {
  await database.forTenant(player.tenantId, player.playerId).transaction(async (transaction) => {
    const before = await lockAccess(transaction, player);
    if (!before) throw playerNotFound();
    const { tenantRole, hiddenFromDiscovery } = { ...before, ...changes };
    const after = { tenantRole, hiddenFromDiscovery };
    const details = difference(before, after);
    if (details) {
      await updateSettings(transaction, player, after);
      await auditPlayer(transaction, author, player, 'player.updated', details);
    }
  });
  // After the commit: a slow or refused count must not undo the change.
  return readPlayer(database, player);
}
