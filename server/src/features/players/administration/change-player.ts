import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { audit, difference } from '../../platform/audit/index.ts';
import { lockSettings, updateSettings, type PlayerSettings } from './player-queries.ts';
import { playerNotFound, readPlayer, type PlayerDetail } from './read-player.ts';

/**
 * Changes a tenant's settings of a player. Fields that are left out do not change. Throws player_not_found, and too_many_reads and busy
 * after the change if the numbers of records cannot be read.
 */
export async function changePlayer(
  database: Database,
  { tenantId, playerId, changes }: { tenantId: string; playerId: string; changes: Partial<PlayerSettings> },
  author: Author,
): Promise<PlayerDetail> {
  await database.forTenant(tenantId, playerId).transaction(async (transaction) => {
    const before = await lockSettings(transaction, tenantId, playerId);
    if (!before) throw playerNotFound();
    const { tenantRole, hiddenFromDiscovery } = { ...before, ...changes };
    const after = { tenantRole, hiddenFromDiscovery };
    const details = difference(before, after);
    if (details) {
      await updateSettings(transaction, tenantId, playerId, after);
      await audit(transaction, {
        ...author,
        action: 'player.updated',
        tenantId,
        targetId: playerId,
        details,
      });
    }
  });
  // After the commit: a slow or refused count must not undo the change.
  return readPlayer(database, tenantId, playerId);
}
