import type { Querier } from '../../database/database.ts';
import type { Author } from '../../http/request-context.ts';
import { Problem } from '../../shared/problem.ts';
import { auditTrail } from '../audit/index.ts';
import { hasAccounts, insertAccount, lockAccounts, type Account, type NewAccount } from './queries.ts';

/**
 * Creates an account in the caller's transaction. The very first one of a deployment becomes its platform admin, of
 * several at once exactly one. Throws email_taken.
 */
export async function createAccount(
  transaction: Querier,
  author: Author,
  account: NewAccount,
): Promise<Account> {
  await lockAccounts(transaction);
  const created = await insertAccount(transaction, account);
  if (!created) throw new Problem('email_taken');
  await auditTrail(transaction, [
    {
      ...author,
      action: 'account.created',
      targetId: created.id,
      details: { after: { email: created.email, isPlatformAdmin: created.isPlatformAdmin } },
    },
  ]);
  return created;
}

/** Creates the platform admin of an empty deployment; undefined where there are accounts already. */
export async function createFirstAccount(
  transaction: Querier,
  author: Author,
  account: NewAccount,
): Promise<Account | undefined> {
  await lockAccounts(transaction);
  return (await hasAccounts(transaction)) ? undefined : createAccount(transaction, author, account);
}
