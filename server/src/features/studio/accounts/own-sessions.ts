import type { Database } from '../../../database/database.ts';
import type { Self } from '../../../core/author.ts';
import { readPage, type Page, type PageRequest } from '../../../core/page.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { countSessions, hasSession, listSessions, revokeSession, type AccountSession } from './queries.ts';

/** A page of the sessions that an account can refresh. */
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

/** Ends one of an account's own sessions. A second call changes nothing. Throws not_found. */
export async function endOwnSession(
  database: Database,
  { accountId, origin }: Self,
  sessionId: string,
): Promise<void> {
  await database.forAccount(accountId).transaction(async (transaction) => {
    if (!(await hasSession(transaction, accountId, sessionId)))
      throw new ProblemError('not_found', 'The account has no such session.');
    if (!(await revokeSession(transaction, sessionId))) return;
    await auditTrail(transaction, [
      {
        actor: { kind: 'account', id: accountId },
        origin,
        action: 'account.session_ended',
        targetId: sessionId,
        details: { endedBy: 'owner' },
      },
    ]);
  });
}
