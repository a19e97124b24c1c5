import type { Database } from '../../database/database.ts';
import type { Author } from '../../http/request-context.ts';
import { hashPassword } from '../../security/passwords.ts';
import { newRefreshToken } from '../../security/refresh-tokens.ts';
import type { Vault } from '../../security/vault.ts';
import { newId } from '../../shared/ids.ts';
import { Problem } from '../../shared/problem.ts';
import type { TokenSigner } from '../signing-keys/index.ts';
import { createAccount } from './create-account.ts';
import { signedIn, type SignedIn } from './issue-tokens.ts';
import { insertSession } from './queries.ts';

export interface SignUpServices {
  database: Database;
  vault: Vault;
  signer: TokenSigner;
  config: { signup: 'open' | 'closed' };
}

export interface SignUpRequest {
  email: string;
  password: string;
  displayName?: string | undefined;
}

/** Creates an account and signs it in. Throws signup_closed and email_taken. */
export async function signUp(
  { database, vault, signer, config }: SignUpServices,
  origin: Author['origin'],
  { email, password, displayName }: SignUpRequest,
): Promise<SignedIn> {
  if (config.signup === 'closed') throw new Problem('signup_closed');
  const passwordHash = await hashPassword(password);
  const id = newId();
  const sessionId = newId();
  const refreshToken = newRefreshToken(vault, 'session');
  const account = await database.transaction(async (transaction) => {
    const author = { actor: { kind: 'account' as const, id }, ...(origin && { origin }) };
    const created = await createAccount(transaction, author, {
      id,
      email,
      passwordHash,
      displayName: displayName ?? null,
    });
    await insertSession(transaction, { sessionId, accountId: id, refreshToken });
    return created;
  });
  return signedIn(signer, account, sessionId, refreshToken);
}
