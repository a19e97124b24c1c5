import type { Database, Querier } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { now } from '../../../core/timestamps.ts';
import { endSession, findSession, endOpenSessions, insertLogouts, type SessionFilter } from './queries.ts';
import type { LogoutReason } from './logout-reasons.ts';
import { sealLogoutMetadata } from './personal-data.ts';

export interface LogOutRequest {
  billing: BillingContext;
  sessionId: string;
  deviceId: string | undefined;
  /** The player of the bearer token, if one was sent. The session must belong to this player. */
  playerId: string | undefined;
}

/**
 * Ends a session. Its refresh token stops working, and the logout ledger gets one row with the reason user_logout. Idempotent: a second
 * call returns the first result. Throws not_found, and forbidden if the session belongs to another player.
 */
export async function logOut(
  { database, vault }: { database: Database; vault: Vault },
  { billing, sessionId, deviceId, playerId }: LogOutRequest,
) {
  const { tenantId } = billing;
  const session = await findSession(database.forTenant(tenantId), tenantId, sessionId);
  if (!session) throw new ProblemError('not_found', 'The tenant has no such session.');
  if (playerId !== undefined && playerId !== session.playerId)
    throw new ProblemError('forbidden', 'The session belongs to another player.');

  const reason = 'user_logout' as const;
  const metadata = deviceId === undefined ? undefined : { deviceId };
  return database.forKey(billing).transaction(async (transaction) => {
    const ledgerId = newId();
    const personalData = sealLogoutMetadata(vault, session.keySalt, { tenantId, id: ledgerId }, metadata);
    const logout = { tenantId, sessionId, ledgerId, reason, at: now(), personalData };
    const ended = await endSession(transaction, logout);
    if (ended) return { sessionId, endedAt: ended.endedAt, reason };

    const before = await findSession(transaction, tenantId, sessionId);
    if (!before?.endedAt) throw new Error('A session could not be ended, but it is still open.');
    return { sessionId, endedAt: before.endedAt, reason: before.reason ?? reason };
  });
}

/**
 * Ends all open sessions of a player in a tenant, on a device, or everywhere, and returns their number. Each session gets a row in the
 * logout ledger. Their refresh tokens stop working. The caller's transaction must hold the lock on the access record, the device or the
 * player (see {@link endOpenSessions}). `last_seen_at` does not change, because the player sent no request.
 */
export async function endPlayerSessions(
  transaction: Querier,
  playerId: string,
  filter: SessionFilter,
  {
    reason,
    message = null,
    keepToken = null,
  }: {
    reason: LogoutReason;
    message?: string | null;
    /** A session that ends like by a logout: its access token stays valid for the profile. */
    keepToken?: string | null;
  },
): Promise<number> {
  const at = now();
  const ended = await endOpenSessions(transaction, playerId, filter, { at, keepToken });
  if (ended.length > 0) {
    const sessions = ended.map((session) => ({ ...session, ledgerId: newId() }));
    await insertLogouts(transaction, playerId, sessions, { reason, message, at });
  }
  return ended.length;
}
