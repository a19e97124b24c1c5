import type { Database } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { listMemberships, type Membership } from '../workspaces/index.ts';
import { findAccount, type Account } from './queries.ts';

/** The account of a verified token, with its roles in workspaces. Throws invalid_bearer where the account is gone. */
export async function readOwnAccount(
  database: Database,
  accountId: string,
): Promise<{ user: Account; memberships: Membership[] }> {
  const account = database.forAccount(accountId);
  const [user, memberships] = await Promise.all([
    findAccount(account, accountId),
    listMemberships(account, accountId),
  ]);
  if (!user) throw new ProblemError('invalid_bearer');
  return { user, memberships };
}
