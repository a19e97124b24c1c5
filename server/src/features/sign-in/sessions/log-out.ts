import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { now } from '../../../core/timestamps.ts';
import { endSession, findSession } from './queries.ts';
import { sealLogoutMetadata } from './personal-data.ts';

interface LogOutRequest {
  billing: BillingContext;
  sessionId: string;
  deviceId?: string | undefined;
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
    if (!before?.endedAt || !before.reason)
      throw new Error('A session could not be ended, but it is still open.');
    return { sessionId, endedAt: before.endedAt, reason: before.reason };
  });
}
