import type { PlayerCaller } from '../../../core/callers.ts';
import type { Database } from '../../../database/database.ts';
import { readUnlessRevoked } from '../profiles/index.ts';
import { withPlatformName } from '../../sign-in/login/index.ts';
import { selectLogins, sumLogins, type LoginRow, type LoginTotals } from './queries.ts';

/** The number of latest logins in a summary. */
const RECENT_LOGINS = 10;

interface SessionSummary extends LoginTotals {
  lastLoginAt: string | null;
  recentSessions: (Pick<LoginRow, 'tenantId' | 'platform' | 'clientVersion'> & {
    platformDisplayName: string;
    loginAt: string;
  })[];
}

/** Summarizes a player's logins over all tenants. Throws invalid_bearer for a token of a revoked session. */
export async function readSummary(database: Database, caller: PlayerCaller): Promise<SessionSummary> {
  const player = database.heavy.forPlayer(caller.playerId);
  // The order matters: the totals then include at least the logins that are listed.
  const [recent, totals] = await readUnlessRevoked(player, caller, (transaction) =>
    Promise.all([selectLogins(transaction, { limit: RECENT_LOGINS }), sumLogins(transaction)]),
  );
  return {
    ...totals,
    lastLoginAt: recent[0]?.occurredAt ?? null,
    recentSessions: recent.map(({ tenantId, platform, clientVersion, occurredAt }) =>
      withPlatformName({ tenantId, platform, clientVersion, loginAt: occurredAt }),
    ),
  };
}
