import type { Database } from '../../../database/database.ts';
import { invalidField } from '../../../core/problem.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';
import { coverRange } from './cover-range.ts';
import { countSessions, findRolledUpTo, type SessionCounts } from './queries.ts';

const DEFAULT_DAYS = 30;

export interface SessionAnalytics extends SessionCounts {
  from: string;
  to: string;
}

/**
 * Counts of a tenant's logins and logouts that the database received from `from` to before `to`, exact to the moment. Without
 * `to` up to now, without `from` the 30 days before `to`. Throws invalid_request for a range that holds nothing.
 */
export async function readAnalytics(
  database: Database,
  tenantId: string,
  range: { from?: string | undefined; to?: string | undefined },
): Promise<SessionAnalytics> {
  const to = toMicroseconds(range.to ?? new Date().toISOString())!;
  const from = toMicroseconds(range.from ?? daysBefore(to))!;
  if (from >= to)
    throw invalidField(
      'from',
      'must be earlier than to',
      'The range is empty: from must be earlier than to.',
    );
  const tenant = database.heavy.forTenant(tenantId);
  // What is rolled up never changes, so it does no harm if more of it is by the time of the second statement.
  const rolledUpTo = await findRolledUpTo(tenant, tenantId);
  const pieces = coverRange(from, to, rolledUpTo && toMicroseconds(rolledUpTo));
  return { from, to, ...(await countSessions(tenant, tenantId, pieces)) };
}

function daysBefore(to: string): string {
  return new Date(Math.max(Date.parse(to) - DEFAULT_DAYS * 86_400_000, Date.UTC(1970))).toISOString();
}
