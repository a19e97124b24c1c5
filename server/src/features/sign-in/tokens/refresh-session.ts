import { chargeRepeat, type Database } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import type { Vault } from '../../../security/vault.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { exchangeRefreshToken, type RefreshRequest } from '../refresh-tokens/index.ts';
import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import { playerTokens, type PlayerTokens } from './player-tokens.ts';
import { findTokenUse, revokeSessionTokens } from './queries.ts';
import type { RefreshBatcher } from './refresh-batcher.ts';

export interface RefreshServices {
  database: Database;
  vault: Vault;
  signer: TokenSigner;
  refreshes: RefreshBatcher;
  config: { refreshTokenDays: number };
}

/** Exchanges the refresh token of a player's session for a new pair of tokens: see {@link exchangeRefreshToken}. */
export async function refreshSession(
  { database, vault, signer, refreshes, config }: RefreshServices,
  billing: BillingContext,
  origin: Origin,
  request: RefreshRequest,
): Promise<PlayerTokens> {
  const { tenantId } = billing;
  const tenant = database.forTenant(tenantId);
  const { session, refreshToken } = await exchangeRefreshToken(
    {
      kind: 'refresh',
      days: config.refreshTokenDays,
      rotate: (hash, next) => refreshes.rotate({ billing, hash, next }),
      find: (hash, successorHash) => findTokenUse(tenant, tenantId, hash, successorHash),
      billRepeat: () => chargeRepeat(database, billing),
      scope: tenant,
      revoke: (transaction, { sessionId }) => revokeSessionTokens(transaction, tenantId, sessionId),
      reuseOf: ({ sessionId, playerId }) => ({
        action: 'refresh_token.reused',
        actor: { kind: 'player', id: playerId },
        origin,
        tenantId,
        targetId: sessionId,
        details: { consequence: 'no refresh token of the session works any more' },
      }),
    },
    vault,
    request,
  );
  const { playerId, sessionId } = session;
  return playerTokens(signer, { playerId, tenantId, sessionId, refreshToken, isNewPlayer: false });
}
