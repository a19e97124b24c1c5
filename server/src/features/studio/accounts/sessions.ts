import type { Querier } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import { newRefreshToken } from '../../../security/refresh-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import { lockAccount, type Account, type AccountWithPassword } from './queries.ts';
import { endSessionsOverLimit, insertSession } from './session-queries.ts';

/** The lifetime of a console access token: 15 minutes. It ends earlier with its session. */
const ACCESS_TOKEN_SECONDS = 15 * 60;

export interface SessionServices {
  vault: Vault;
  signer: TokenSigner;
}

/** The response to sign-up, login and refresh. */
export interface SignedIn {
  accessToken: string;
  refreshToken: string;
  tokenType: 'Bearer';
  expiresIn: number;
  user: Account;
}

/**
 * Creates a session for an authenticated account, in the caller's transaction. Throws invalid_credentials if the password has changed, or
 * a second factor was added or removed, since the account was read.
 */
export async function createSession(
  db: Querier,
  { vault, signer }: SessionServices,
  account: AccountWithPassword,
  origin: Origin,
): Promise<SignedIn> {
  const sessionId = newId();
  const refreshToken = newRefreshToken(vault, 'session');
  // The next statement sees what the holder of the lock has committed.
  const locked = await lockAccount(db, account.id);
  if (!(await insertSession(db, { sessionId, account, origin, refreshToken })))
    throw new ProblemError(
      'invalid_credentials',
      'The password or the second factor was changed during the login. Sign in again.',
    );
  await endSessionsOverLimit(db, account.id);
  // The account was read before its password was compared, and may have been verified or promoted since. The second factor is the same.
  const current = { ...account, ...locked, totpEnabled: account.totpEnabled };
  return createSignedIn(signer, current, sessionId, refreshToken.token);
}

/** Signs the access token of a stored session and returns the response. */
export function createSignedIn(
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
