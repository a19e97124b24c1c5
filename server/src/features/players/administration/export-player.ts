import type { Author } from '../../../core/author.ts';
import { requireArchive } from '../../gameplay/events/index.ts';
import { exportInTenant, type ExportServices } from '../profiles/index.ts';
import { withPlatformName } from '../../sign-in/login/index.ts';
import { auditPlayer } from './audit-player.ts';
import { listDevices, type PlayerRef } from './player-queries.ts';
import { describePlayer, resolvePlayer } from './read-player.ts';

/** The devices that a player has used in a tenant. A profile has 50 of its own, and the merged ones can have as many. */
const MAX_DEVICES = 10_000;

/**
 * Exports what a tenant has about a player, and records who did it before the first byte is sent. Notes of the workspace are left
 * out, so that the studio can hand the file to the player. Throws player_not_found and archive_unavailable.
 */
export async function* exportPlayer(
  services: ExportServices,
  requested: PlayerRef,
  author: Author,
): AsyncGenerator<string> {
  const { database, archive } = services;
  const ref = await resolvePlayer(database.forTenant(requested.tenantId), requested);
  const { tenantId, playerId } = ref;
  const player = await describePlayer(database.forTenant(tenantId, playerId), ref);
  const page = { limit: MAX_DEVICES, offset: 0 };
  const rows = await listDevices(database.heavy.forTenant(tenantId, { playerId }), ref, page);
  const devices = rows.map(withPlatformName);
  await requireArchive({ database, archive }, [tenantId]);
  await auditPlayer(database.forTenant(tenantId), author, ref, 'player.exported', { format: 'json' });
  yield* exportInTenant(services, tenantId, [playerId, ...player.mergedProfileIds], { player, devices });
}
