import type { Database } from '../../../database/database.ts';
import { platformDisplayName } from '../../sign-in/login/index.ts';
import { selectLogins, sumLogins, type LoginRow, type LoginTotals } from './queries.ts';

/** How many of the latest logins a summary shows. */
const RECENT = 10;

export interface SessionSummary extends LoginTotals {
  lastLoginAt: string | null;
  recentSessions: (Pick<LoginRow, 'tenantId' | 'platform' | 'clientVersion'> & {
    platformDisplayName: string;
    loginAt: string;
  })[];
}

/** What a player's logins over all tenants come to, and the latest of them. */
export async function readSummary(database: Database, playerId: string): Promise<SessionSummary> {
  // In this order: a login that comes in between is counted at least, if not yet shown.
  const [recent, totals] = await database.heavy
    .forPlayer(playerId)
    .transaction((transaction) =>
      Promise.all([selectLogins(transaction, { limit: RECENT }), sumLogins(transaction)]),
    );
  return {
    ...totals,
    lastLoginAt: recent[0]?.occurredAt ?? null,
    recentSessions: recent.map(({ tenantId, platform, clientVersion, occurredAt }) => ({
      tenantId,
      platform,
      platformDisplayName: platformDisplayName(platform),
      clientVersion,
      loginAt: occurredAt,
    })),
  };
}
