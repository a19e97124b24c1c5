import { enterScope, type Database } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import { exchangeRefreshToken, type RefreshRequest } from '../../sign-in/refresh-tokens/index.ts';
import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import { createSignedIn, type SignedIn } from './sessions.ts';
import {
  findAccount,
  findSessionOfToken,
  findTokenUse,
  revokeSession,
  rotateToken,
  updateLastUse,
} from './queries.ts';

export interface RefreshServices {
  database: Database;
  vault: Vault;
  signer: TokenSigner;
}

/** Exchanges the refresh token of a dashboard session for new tokens. {@link exchangeRefreshToken} defines the rules. */
export async function refreshSession(
  { database, vault, signer }: RefreshServices,
  origin: Origin,
  request: RefreshRequest,
): Promise<SignedIn> {
  const { session, refreshToken } = await exchangeRefreshToken(
    {
      kind: 'session',
      async rotate(hash, next) {
        const issued = await findSessionOfToken(database, hash);
        return issued && rotateToken(database.forAccount(issued.accountId), hash, next);
      },
      async find(hash, successorHash) {
        const issued = await findSessionOfToken(database, hash);
        return issued && findTokenUse(database.forAccount(issued.accountId), hash, successorHash);
      },
      scope: database,
      async revoke(transaction, { sessionId, accountId }) {
        await enterScope(transaction, 'account_id', accountId);
        return revokeSession(transaction, sessionId);
      },
      reuseOf: ({ sessionId, accountId }) => ({
        action: 'refresh_token.reused',
        actor: { kind: 'account', id: accountId },
        origin,
        targetId: sessionId,
        details: { consequence: 'no refresh token of the session works any more' },
      }),
    },
    vault,
    request,
  );
  const scope = database.forAccount(session.accountId);
  const account = await findAccount(scope, session.accountId);
  if (!account) throw new ProblemError('invalid_refresh_token');
  await updateLastUse(scope, session.sessionId, origin);
  return createSignedIn(signer, account, session.sessionId, refreshToken);
}
