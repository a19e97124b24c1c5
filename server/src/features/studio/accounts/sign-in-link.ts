import type { Database, Querier } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import type { Vault } from '../../../security/vault.ts';
import { issueToken, redeemToken, refusedToken, requireToken } from './account-token.ts';
import { auditOwnAccount } from './audit-own-account.ts';
import { createSession, type SessionServices, type SignedIn } from './sessions.ts';

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
  const link = await requireToken(services, 'link', token);
  const { accountId } = link;
  return services.database.forAccount(accountId).transaction(async (transaction) => {
    const account = await redeemToken(transaction, link);
    if (account.totpEnabled) throw refusedToken('link');
    await auditOwnAccount(transaction, { accountId, origin }, 'account.link_used', {});
    return createSession(transaction, services, account, origin);
  });
}
