import type { Database, Querier } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { Vault } from '../../../security/vault.ts';
import { auditOwnAccount } from './audit-own-account.ts';
import { issueToken } from './issue-token.ts';
import { lockAccount } from './queries.ts';
import { createSession, type SessionServices, type SignedIn } from './sessions.ts';
import { consumeToken, findToken } from './token-queries.ts';

/** A printed link stays in the scrollback of the terminal. */
const LINK_SECONDS = 30 * 60;

/** Creates the token of a link that signs an account in once, within 30 minutes. */
export function createSignInLink(transaction: Querier, vault: Vault, accountId: string): Promise<string> {
  return issueToken(transaction, vault, { accountId, purpose: 'link', seconds: LINK_SECONDS });
}

/** Signs the account of a link in. Throws invalid_credentials for a wrong link, and if the account has a second factor now. */
export async function signInWithLink(
  services: SessionServices & { database: Database },
  origin: Origin,
  token: string,
): Promise<SignedIn> {
  const { database, vault } = services;
  const hash = vault.fingerprint(token);
  const link = await findToken(database, 'link', hash);
  if (!link) throw invalidLink();
  const { accountId } = link;
  return database.forAccount(accountId).transaction(async (transaction) => {
    const account = await lockAccount(transaction, accountId);
    if (!account || account.totpEnabled || !(await consumeToken(transaction, 'link', hash)))
      throw invalidLink();
    await auditOwnAccount(transaction, { accountId, origin }, 'account.link_used', {});
    return createSession(transaction, services, account, origin);
  });
}

/** The same error for unknown, used and expired links. */
function invalidLink(): ProblemError {
  return new ProblemError(
    'invalid_credentials',
    'The link is wrong, was used, or has expired. Sign in with the password.',
  );
}
