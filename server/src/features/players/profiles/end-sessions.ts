import type { Querier } from '../../../database/database.ts';
import { redactThirdPartyTokens } from '../../sign-in/assertions/index.ts';
import { revokePlayerTokens } from '../../sign-in/tokens/index.ts';
import { revokePortalSessions } from '../../sign-in/portal/index.ts';

/**
 * Ends the refreshing of all that a player has: in tenants, in the portal and at third parties. The caller has locked the profile
 * in an earlier statement, as every sign-in does before all else: so there is no session on its way that this one does not see.
 */
export async function endSessions(db: Querier, playerId: string): Promise<void> {
  await revokePlayerTokens(db, playerId);
  await revokePortalSessions(db, playerId);
  await redactThirdPartyTokens(db, playerId);
}
