import { ProblemError } from '../../../core/problem.ts';
import type { TokenSigner } from '../../platform/signing-keys/index.ts';

/** The lifetime is short, because assertions cannot be revoked. */
const ASSERTION_SECONDS = 5 * 60;

/** The player and the audience of an assertion. */
export interface AssertionSubject {
  tenantId: string;
  playerId: string;
  sessionId: string;
  audience: string;
  displayName: string | null;
  email: string | null;
}

/** The response of an exchange. */
export interface IssuedAssertion {
  assertionToken: string;
  tokenType: 'Bearer';
  expiresIn: number;
  audience: string;
  refreshToken?: string;
}

/** Throws player_inactive and player_banned. */
export function requireAllowedPlayer<Player extends { isActive: boolean; isBanned: boolean }>(
  player: Player | undefined,
): asserts player is Player {
  if (!player?.isActive) throw new ProblemError('player_inactive');
  if (player.isBanned) throw new ProblemError('player_banned');
}

/** Signs an assertion. The name and address use the claims of OpenID Connect, which common libraries support. */
export function signAssertion(signer: TokenSigner, subject: AssertionSubject): IssuedAssertion {
  const { playerId, tenantId, sessionId, audience, displayName, email } = subject;
  const claims = {
    tid: tenantId,
    sid: sessionId,
    aud: audience,
    ...(displayName !== null && { name: displayName }),
    ...(email !== null && { email }),
  };
  return {
    assertionToken: signer.sign('assertion', playerId, claims, ASSERTION_SECONDS),
    tokenType: 'Bearer',
    expiresIn: ASSERTION_SECONDS,
    audience,
  };
}
