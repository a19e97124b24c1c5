import type { Database } from '../../../database/database.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { now } from '../../../core/timestamps.ts';
import { endSession, findSession } from './queries.ts';

export interface LogOutRequest {
  billing: BillingContext;
  sessionId: string;
  deviceId: string | undefined;
  /** The bearer's player, where a bearer was sent: the session must be theirs. */
  playerId: string | undefined;
}

/**
 * Ends a session: its refresh token stops working and the logout ledger gets one row (reason user_logout). A session that
 * has ended before answers with its first end. Throws not_found, and forbidden for another player's session.
 */
export async function logOut(database: Database, { billing, sessionId, deviceId, playerId }: LogOutRequest) {
  const { tenantId } = billing;
  const session = await findSession(database.forTenant(tenantId), tenantId, sessionId);
  if (!session) throw new ProblemError('not_found', 'The tenant has no such session.');
  if (playerId !== undefined && playerId !== session.playerId)
    throw new ProblemError('forbidden', 'The session belongs to another player.');

  const reason = 'user_logout' as const;
  const metadata = deviceId === undefined ? {} : { deviceId };
  return database.forKey(billing).transaction(async (transaction) => {
    const logout = { tenantId, sessionId, ledgerId: newId(), reason, at: now(), metadata };
    const ended = await endSession(transaction, logout);
    if (ended) return { sessionId, endedAt: ended.endedAt, reason };

    const before = await findSession(transaction, tenantId, sessionId);
    if (!before?.endedAt) throw new Error('A session was neither ended nor had it ended before.');
    return { sessionId, endedAt: before.endedAt, reason: before.reason ?? reason };
  });
}
