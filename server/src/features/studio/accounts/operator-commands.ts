import { enterScope, type Querier } from '../../../database/database.ts';
import { SYSTEM } from '../../../core/author.ts';
import { audit } from '../../platform/audit/index.ts';
import {
  findAccountByEmail,
  lockAccount,
  markVerified,
  promote,
  type AccountWithPassword,
} from './queries.ts';
import { replacePassword } from './replace-password.ts';
import { deleteTotp } from './totp-queries.ts';

/**
 * Sets the password of a locked-out account on behalf of the operator, and marks its address as verified. Ends all sessions.
 * Removes the second factor only if `removeTotp` is true. Returns false if no account has the address.
 */
export async function resetByOperator(
  transaction: Querier,
  { email, passwordHash, removeTotp }: { email: string; passwordHash: string; removeTotp: boolean },
): Promise<boolean> {
  const account = await lockByEmail(transaction, email);
  if (!account) return false;
  await markVerified(transaction, account.id);
  const endedSessions = await replacePassword(transaction, account.id, passwordHash);
  const totpRemoved = removeTotp && (await deleteTotp(transaction, account.id));
  await audit(transaction, {
    ...SYSTEM,
    action: 'account.password_reset',
    targetId: account.id,
    details: { source: 'operator', endedSessions, totpRemoved },
  });
  return true;
}

/**
 * Makes an account a platform administrator on behalf of the operator. The address must be verified. Otherwise the account can
 * belong to a stranger who signed up with the operator's address.
 */
export async function promoteByOperator(
  transaction: Querier,
  email: string,
): Promise<'promoted' | 'unknown' | 'unverified'> {
  const account = await lockByEmail(transaction, email);
  if (!account) return 'unknown';
  if (!account.emailVerified) return 'unverified';
  if (await promote(transaction, account.id))
    await audit(transaction, {
      ...SYSTEM,
      action: 'account.promoted',
      targetId: account.id,
      details: { source: 'operator', before: { isPlatformAdmin: false }, after: { isPlatformAdmin: true } },
    });
  return 'promoted';
}

async function lockByEmail(transaction: Querier, email: string): Promise<AccountWithPassword | undefined> {
  const account = await findAccountByEmail(transaction, email);
  if (!account) return undefined;
  await enterScope(transaction, 'account_id', account.id);
  return lockAccount(transaction, account.id);
}
