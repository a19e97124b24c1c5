import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import type { Account } from './queries.ts';

/** The lifetime of a dashboard access token: 15 minutes, for it cannot be revoked (contract §2). */
const ACCESS_TOKEN_SECONDS = 15 * 60;

/** What sign-up, login and refresh answer. */
export interface SignedIn {
  accessToken: string;
  refreshToken: string;
  tokenType: 'Bearer';
  expiresIn: number;
  user: Account;
}

/** Signs the access token of a session that has been stored, and puts the answer together. */
export function signedIn(
  signer: TokenSigner,
  { id, email, displayName, isPlatformAdmin, emailVerified, totpEnabled, createdAt }: Account,
  sessionId: string,
  refreshToken: string,
): SignedIn {
  return {
    accessToken: signer.sign('saas', id, { sid: sessionId }, ACCESS_TOKEN_SECONDS),
    refreshToken,
    tokenType: 'Bearer',
    expiresIn: ACCESS_TOKEN_SECONDS,
    user: { id, email, displayName, isPlatformAdmin, emailVerified, totpEnabled, createdAt },
  };
}
