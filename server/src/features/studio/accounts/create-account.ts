import { lockUntilCommit } from '../../../database/advisory-locks.ts';
import { enterScope, type Querier } from '../../../database/database.ts';
import { SYSTEM, type Author } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { audit } from '../../platform/audit/index.ts';
import { hasPlatformAdmin, insertAccount, type AccountWithPassword, type NewAccount } from './queries.ts';

/** Creates an account in the caller's transaction. Throws email_taken. */
export async function createAccount(
  transaction: Querier,
  author: Author,
  account: NewAccount,
): Promise<AccountWithPassword> {
  await enterScope(transaction, 'account_id', account.id);
  const created = await insertAccount(transaction, account);
  if (!created) throw new ProblemError('email_taken');
  await audit(transaction, {
    ...author,
    action: 'account.created',
    targetId: created.id,
    details: { after: { email: created.email, isPlatformAdmin: created.isPlatformAdmin } },
  });
  return created;
}

/**
 * Creates the first platform administrator of a deployment. The address counts as verified, because the operator chose it.
 * Returns undefined if the deployment already has a platform administrator. Throws email_taken.
 */
export async function createFirstAdmin(
  transaction: Querier,
  account: Omit<NewAccount, 'isPlatformAdmin' | 'emailVerified'>,
): Promise<AccountWithPassword | undefined> {
  await lockUntilCommit(transaction, 'firstAccount');
  if (await hasPlatformAdmin(transaction)) return undefined;
  return createAccount(transaction, SYSTEM, { ...account, isPlatformAdmin: true, emailVerified: true });
}
