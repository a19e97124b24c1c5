import { chargeAlone, type Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import type { BearerCaller } from '../../../core/callers.ts';
import { newRefreshToken } from '../../../security/refresh-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { exchangeRefreshToken } from '../refresh-tokens/index.ts';
import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import { findSubject, findTokenUse, insertToken, lockSession, revokeFamily, rotateToken } from './queries.ts';
import { refuseUnlessAllowed } from './refuse-unless-allowed.ts';
import { signAssertion, type IssuedAssertion } from './sign-assertion.ts';

export interface ExchangeServices {
  database: Database;
  vault: Vault;
  signer: TokenSigner;
}

export interface ExchangeRequest {
  /** The game key's tenant, and who pays. */
  billing: BillingContext;
  bearer: BearerCaller;
  audience: string;
  includeRefreshToken: boolean;
  origin: NonNullable<Author['origin']>;
  /** The value of `Idempotency-Key`: for an exchange of a refresh token. */
  idempotencyKey: string | undefined;
}

/**
 * Makes an assertion about a player for one audience: from the player's access token, or from the refresh token that a
 * third party was given with an earlier one. Throws wrong_token_scope for any other token.
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

/** With the player's name and address of now. Throws player_inactive, player_banned, and session_ended for a refresh token. */
async function fromAccessToken(
  { database, vault, signer }: ExchangeServices,
  { billing, audience, includeRefreshToken }: ExchangeRequest,
  player: { playerId: string; sessionId: string },
): Promise<IssuedAssertion> {
  const { tenantId } = billing;
  return database.forKey(billing).transaction(async (transaction) => {
    const found = await findSubject(transaction, tenantId, player.playerId);
    refuseUnlessAllowed(found);
    const { displayName, email } = found;
    const subject = { ...player, tenantId, audience, displayName, email };
    if (!includeRefreshToken) return signAssertion(signer, subject);

    const { token, hash, expiresAt } = newRefreshToken(vault, 'thirdparty');
    const stored = await insertToken(transaction, { ...subject, familyId: newId(), hash, expiresAt });
    if (!stored)
      throw new ProblemError(
        'session_ended',
        'The session has ended, so there is no refresh token for a third party. Sign in again.',
      );
    return { ...signAssertion(signer, subject), refreshToken: token };
  });
}

/**
 * With the name and address that were kept, and the next refresh token, by the rules of {@link exchangeRefreshToken}. Throws
 * audience_mismatch, player_inactive, player_banned.
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
      chargeRepeat: () => chargeAlone(database, billing),
      scope: tenant,
      async revoke(transaction, { sessionId, familyId }) {
        // In a statement of its own: the next one sees what an exchange that it waited for has stored.
        await lockSession(transaction, tenantId, sessionId);
        return revokeFamily(transaction, tenantId, familyId);
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
        refuseUnlessAllowed(found);
      },
    },
    vault,
    { token, idempotencyKey },
  );
  return { ...signAssertion(signer, session), refreshToken };
}
