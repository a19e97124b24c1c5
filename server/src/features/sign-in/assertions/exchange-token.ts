import { chargeRepeat, type Database } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import type { BearerCaller } from '../../../core/callers.ts';
import { newRefreshToken } from '../../../security/refresh-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { requireAllowedPlayer, revokedSessionError } from '../sessions/index.ts';
import { exchangeRefreshToken } from '../refresh-tokens/index.ts';
import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import { findSubject, findTokenUse, insertToken, lockSession, revokeFamily, rotateToken } from './queries.ts';
import { signAssertion, type IssuedAssertion } from './sign-assertion.ts';

export interface ExchangeServices {
  database: Database;
  vault: Vault;
  signer: TokenSigner;
}

interface ExchangeRequest {
  /** The tenant of the game key, and the workspace that is billed. */
  billing: BillingContext;
  bearer: BearerCaller;
  audience: string;
  includeRefreshToken: boolean;
  origin: Origin;
  /** The value of `Idempotency-Key`. Only the exchange of a refresh token uses it. */
  idempotencyKey: string | undefined;
}

/**
 * Issues an assertion about a player for one audience. The bearer is the player's access token, or the refresh token that a third party
 * received with an earlier assertion. Throws wrong_token_scope for any other token.
 */
export async function exchangeToken(
  services: ExchangeServices,
  request: ExchangeRequest,
): Promise<IssuedAssertion> {
  if (request.bearer.kind === 'third_party')
    return fromRefreshToken(services, request, request.bearer.refreshToken);
  if (request.bearer.kind !== 'player')
    throw new ProblemError(
      'wrong_token_scope',
      'This endpoint needs a player access token, or the refresh token of a third party.',
    );
  const { playerId, tenantId, sessionId } = request.bearer;
  if (tenantId === null || sessionId === null)
    throw new ProblemError(
      'wrong_token_scope',
      'A token of the player portal belongs to no tenant. Send a player access token.',
    );
  if (tenantId !== request.billing.tenantId) throw new ProblemError('tenant_mismatch');
  return fromAccessToken(services, request, { playerId, sessionId });
}

/**
 * Uses the player's current name and address. Throws player_inactive, player_banned, and invalid_bearer for a token of a revoked
 * session. Throws session_ended if a refresh token is requested and the session has ended.
 */
async function fromAccessToken(
  { database, vault, signer }: ExchangeServices,
  { billing, audience, includeRefreshToken }: ExchangeRequest,
  player: { playerId: string; sessionId: string },
): Promise<IssuedAssertion> {
  const { tenantId } = billing;
  return database.forKey(billing).transaction(async (transaction) => {
    const found = await findSubject(transaction, tenantId, player);
    requireAllowedPlayer(found);
    if (found.isSessionRevoked) throw revokedSessionError();
    const { displayName, email } = found;
    const subject = { ...player, tenantId, audience, displayName, email };
    if (!includeRefreshToken) return signAssertion(signer, subject);

    const { token, hash, expiresAt } = newRefreshToken(vault, 'thirdparty');
    const stored = await insertToken(transaction, { ...subject, familyId: newId(), hash, expiresAt });
    if (!stored)
      throw new ProblemError(
        'session_ended',
        'The session has ended, so no refresh token for a third party can be issued. Sign in again.',
      );
    return { ...signAssertion(signer, subject), refreshToken: token };
  });
}

/**
 * Uses the name and address that were stored with the refresh token, and returns the next refresh token: see
 * {@link exchangeRefreshToken}. Throws audience_mismatch, player_inactive and player_banned.
 */
async function fromRefreshToken(
  { database, vault, signer }: ExchangeServices,
  { billing, audience, origin, idempotencyKey }: ExchangeRequest,
  token: string,
): Promise<IssuedAssertion> {
  const { tenantId } = billing;
  const tenant = database.forTenant(tenantId);
  const { session, refreshToken } = await exchangeRefreshToken(
    {
      kind: 'thirdparty',
      rotate: (hash, next) => rotateToken(database.forKey(billing), tenantId, { hash, audience }, next),
      find: (hash, successorHash) => findTokenUse(tenant, tenantId, { hash, audience }, successorHash),
      billRepeat: () => chargeRepeat(database, billing),
      scope: tenant,
      async revoke(transaction, reused) {
        // A separate statement, so that the next one sees the token of an exchange that this one waited for.
        await lockSession(transaction, tenantId, reused.sessionId);
        return revokeFamily(transaction, reused);
      },
      reuseOf: (leaked) => ({
        action: 'third_party_token.reused',
        actor: { kind: 'player', id: leaked.playerId },
        origin,
        tenantId,
        targetId: leaked.sessionId,
        details: {
          audience: leaked.audience,
          consequence: 'no refresh token of this family works any more',
        },
      }),
      explain(found) {
        if (found.audience !== audience) throw new ProblemError('audience_mismatch');
        requireAllowedPlayer(found);
      },
    },
    vault,
    { token, idempotencyKey },
  );
  return { ...signAssertion(signer, session), refreshToken };
}
