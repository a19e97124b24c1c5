import type { Database } from '../../../database/database.ts';
import type { Self } from '../../../core/author.ts';
import { readPage, type Page, type PageRequest } from '../../../core/page.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditOwnAccount } from './audit-own-account.ts';
import { listMemberships, type Membership } from '../workspaces/index.ts';
import { findAccount, type Account } from './queries.ts';
import {
  countSessions,
  hasSession,
  listSessions,
  revokeSession,
  type AccountSession,
} from './session-queries.ts';

/** Returns the account of a verified token and its memberships. Throws invalid_bearer if the account no longer exists. */
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

/** Returns a page of the sessions that an account can refresh. */
export async function readOwnSessions(
  database: Database,
  { accountId, sessionId }: Pick<Self, 'accountId' | 'sessionId'>,
  request: PageRequest,
): Promise<Page<AccountSession & { isCurrent: boolean }>> {
  const account = database.forAccount(accountId);
  const { items, ...page } = await readPage(
    request,
    listSessions(account, accountId, request),
    countSessions(account, accountId),
  );
  return { ...page, items: items.map((session) => ({ ...session, isCurrent: session.id === sessionId })) };
}

/** Ends a session of the account. Idempotent. Throws not_found if the account never had the session. */
export async function endOwnSession(database: Database, self: Self, sessionId: string): Promise<void> {
  const { accountId } = self;
  await database.forAccount(accountId).transaction(async (transaction) => {
    if (!(await hasSession(transaction, accountId, sessionId)))
      throw new ProblemError('not_found', 'The account has no such session.');
    if (!(await revokeSession(transaction, sessionId))) return;
    await auditOwnAccount(transaction, self, 'account.session_ended', { endedBy: 'owner' }, sessionId);
  });
}
