import type { Querier } from '../../../database/database.ts';
import { newId } from '../../../core/ids.ts';
import { now } from '../../../core/timestamps.ts';
import type { LogoutReason } from './logout-reasons.ts';
import { endOpenSessions, insertLogouts, type SessionFilter } from './queries.ts';

/**
 * Ends all open sessions of a player in a tenant, on a device, or everywhere, and returns their number. Each session gets a row in the
 * logout ledger. Their refresh tokens stop working. The caller's transaction must hold the lock on the access record, the device or the
 * player (see {@link endOpenSessions}). `last_seen_at` does not change, because the player sent no request.
 */
export async function endPlayerSessions(
  transaction: Querier,
  playerId: string,
  filter: SessionFilter,
  { reason, message = null }: { reason: LogoutReason; message?: string | null },
): Promise<number> {
  const at = now();
  const ended = await endOpenSessions(transaction, playerId, filter, at);
  if (ended.length > 0) {
    const sessions = ended.map((session) => ({ ...session, ledgerId: newId() }));
    await insertLogouts(transaction, playerId, sessions, { reason, message, at });
  }
  return ended.length;
}
