import type { TokenSigner } from '../../platform/signing-keys/index.ts';

/** The lifetime of an assertion: 5 minutes, for nothing takes it back (contract §4). */
const ASSERTION_SECONDS = 5 * 60;

/** Whom an assertion is about, and for whom it is. */
export interface AssertionSubject {
  tenantId: string;
  playerId: string;
  sessionId: string;
  audience: string;
  displayName: string | null;
  email: string | null;
}

/** What an exchange answers. */
export interface IssuedAssertion {
  assertionToken: string;
  tokenType: 'Bearer';
  expiresIn: number;
  audience: string;
  refreshToken?: string;
}

/** Signs an assertion. Name and address are in OpenID's claims, which third parties' libraries know. */
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
