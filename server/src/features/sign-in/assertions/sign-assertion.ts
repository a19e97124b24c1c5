import type { BearerCaller } from '../../../core/callers.ts';
import type { TokenClaims, TokenSigner } from '../../platform/signing-keys/index.ts';

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

/** Reads an assertion from its claims. Undefined if the token has not exactly one audience, because such assertions are never issued. */
export function assertionOf({ sub, aud, iat, exp, ...claims }: TokenClaims): BearerCaller | undefined {
  if (typeof aud !== 'string') return undefined;
  return {
    kind: 'assertion',
    playerId: sub,
    tenantId: claims['tid'] as string,
    sessionId: claims['sid'] as string,
    audience: aud,
    displayName: claims['name'] as string | undefined,
    email: claims['email'] as string | undefined,
    issuedAt: new Date(iat * 1000).toISOString(),
    expiresAt: new Date(exp * 1000).toISOString(),
  };
}
