import type { Querier } from '../../../database/database.ts';
import { newId } from '../../../core/ids.ts';
import { now } from '../../../core/timestamps.ts';
import type { LogoutReason } from './logout-reasons.ts';
import { endOpenSessions, insertLogouts, type SessionPlace } from './queries.ts';

/**
 * Ends all open sessions of a player in a tenant, on a device, or everywhere, with a row in the logout ledger for each, and
 * returns how many. Their refresh tokens stop working, whatever is in flight: for that the caller's transaction must hold
 * the lock on the access record, the device or the player by then (see {@link endOpenSessions}). `last_seen_at` stays, for the player was not seen.
 */
export async function endPlayerSessions(
  transaction: Querier,
  playerId: string,
  place: SessionPlace,
  { reason, message = null }: { reason: LogoutReason; message?: string | null },
): Promise<number> {
  const at = now();
  const ended = await endOpenSessions(transaction, playerId, place, at);
  if (ended.length > 0) {
    const sessions = ended.map((session) => ({ ...session, ledgerId: newId() }));
    await insertLogouts(transaction, playerId, sessions, { reason, message, at });
  }
  return ended.length;
}
