import type { Database } from '../../../database/database.ts';
import { DAY_MS, resolveRange, type OpenRange, type TimeRange } from '../../../core/time-range.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';
import { splitRange } from './split-range.ts';
import { countSessions, findRolledUpTo, type SessionCounts } from './queries.ts';

const DEFAULT_DAYS = 30;

interface SessionAnalytics extends SessionCounts, TimeRange {}

/**
 * Counts the logins and logouts that the database received from `from` (inclusive) to `to` (exclusive). `to` defaults to now,
 * `from` to 30 days before `to`. Throws `invalid_request` if the range is empty.
 */
export async function readAnalytics(
  database: Database,
  tenantId: string,
  range: OpenRange,
): Promise<SessionAnalytics> {
  const { from, to } = resolveRange(range, DEFAULT_DAYS * DAY_MS);
  const tenant = database.heavy.forTenant(tenantId);
  // Roll-ups never change, so the result stays correct if the roll-up advances before the second statement.
  const rolledUpTo = await findRolledUpTo(tenant, tenantId);
  const parts = splitRange(from, to, rolledUpTo && toMicroseconds(rolledUpTo));
  return { from, to, ...(await countSessions(tenant, tenantId, parts)) };
}
