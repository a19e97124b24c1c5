import type { Database, Scope } from '../../database/database.ts';
import type { Author, BearerCaller } from '../../http/request-context.ts';
import { newRefreshToken, REUSE_GRACE_SECONDS } from '../../security/refresh-tokens.ts';
import type { Vault } from '../../security/vault.ts';
import type { Charge } from '../../shared/charge.ts';
import { newId } from '../../shared/ids.ts';
import { Problem } from '../../shared/problem.ts';
import { auditTrail } from '../audit/index.ts';
import type { TokenSigner } from '../signing-keys/index.ts';
import {
  findSubject,
  insertToken,
  lockSession,
  revokeFamily,
  rotateToken,
  type RotatedToken,
} from './queries.ts';
import { refuseUnlessAllowed } from './refuse-unless-allowed.ts';
import { signAssertion, type IssuedAssertion } from './sign-assertion.ts';

export interface ExchangeServices {
  database: Database;
  vault: Vault;
  signer: TokenSigner;
}

export interface ExchangeRequest {
  /** The game key's tenant, and who pays. */
  charge: Charge;
  bearer: BearerCaller;
  audience: string;
  includeRefreshToken: boolean;
  origin: NonNullable<Author['origin']>;
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
    throw new Problem(
      'wrong_token_scope',
      'This endpoint needs a player access token, or the refresh token of a third party.',
    );
  const { playerId, tenantId, sessionId } = request.bearer;
  if (tenantId === null || sessionId === null)
    throw new Problem(
      'wrong_token_scope',
      'A token of the player portal belongs to no tenant. Send a player access token.',
    );
  if (tenantId !== request.charge.tenantId) throw new Problem('tenant_mismatch');
  return fromAccessToken(services, request, { playerId, sessionId });
}

/** With the player's name and address of now. Throws player_inactive, player_banned, and session_ended for a refresh token. */
async function fromAccessToken(
  { database, vault, signer }: ExchangeServices,
  { charge, audience, includeRefreshToken }: ExchangeRequest,
  player: { playerId: string; sessionId: string },
): Promise<IssuedAssertion> {
  const { tenantId } = charge;
  return database.forKey(charge).transaction(async (transaction) => {
    const found = await findSubject(transaction, tenantId, player.playerId);
    refuseUnlessAllowed(found);
    const { displayName, email } = found;
    const subject = { ...player, tenantId, audience, displayName, email };
    if (!includeRefreshToken) return signAssertion(signer, subject);

    const { token, hash, expiresAt } = newRefreshToken(vault, 'thirdparty');
    const stored = await insertToken(transaction, { ...subject, familyId: newId(), hash, expiresAt });
    if (!stored)
      throw new Problem(
        'session_ended',
        'The session has ended, so there is no refresh token for a third party. Sign in again.',
      );
    return { ...signAssertion(signer, subject), refreshToken: token };
  });
}

/**
 * With the name and address that were kept, and the next refresh token. Of several uses of one token exactly one succeeds;
 * one that comes more than ten seconds later ends the family, and is audited. Throws invalid_refresh_token,
 * audience_mismatch, player_inactive, player_banned.
 */
async function fromRefreshToken(
  { database, vault, signer }: ExchangeServices,
  { charge, audience, origin }: ExchangeRequest,
  refreshToken: string,
): Promise<IssuedAssertion> {
  const { tenantId } = charge;
  const next = newRefreshToken(vault, 'thirdparty');
  const old = { hash: vault.fingerprint(refreshToken), audience };
  try {
    const token = await database.forKey(charge).transaction(async (transaction) => {
      const found = await rotateToken(transaction, tenantId, old, next, REUSE_GRACE_SECONDS);
      if (!found?.rotated) throw new NotRotated(found);
      return found;
    });
    return { ...signAssertion(signer, token), refreshToken: next.token };
  } catch (error) {
    if (!(error instanceof NotRotated)) throw error;
    const { token } = error;
    if (!token) throw new Problem('invalid_refresh_token');
    if (token.reused) await endFamily(database.forTenant(tenantId), token, origin);
    if (token.audience !== audience) throw new Problem('audience_mismatch');
    refuseUnlessAllowed(token);
    throw new Problem('invalid_refresh_token');
  }
}

/** Undoes the exchange of a token that is good no more. What that means is written down after it. */
class NotRotated extends Error {
  readonly token: RotatedToken | undefined;

  constructor(token: RotatedToken | undefined) {
    super();
    this.token = token;
  }
}

async function endFamily(
  tenant: Scope,
  { tenantId, sessionId, playerId, familyId, audience }: RotatedToken,
  origin: ExchangeRequest['origin'],
): Promise<void> {
  await tenant.transaction(async (transaction) => {
    // In a statement of its own: the next one sees what an exchange that it waited for has stored.
    await lockSession(transaction, tenantId, sessionId);
    if (!(await revokeFamily(transaction, tenantId, familyId))) return;
    await auditTrail(transaction, [
      {
        action: 'third_party_token.reused',
        actor: { kind: 'player', id: playerId },
        origin,
        tenantId,
        targetId: sessionId,
        details: { audience, consequence: 'no refresh token of this family works any more' },
      },
    ]);
  });
}
