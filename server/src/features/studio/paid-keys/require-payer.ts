import type { Querier } from '../../../database/database.ts';
import type { AccountAuthor } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { findRole } from '../workspaces/index.ts';
import { lockTeamForShare } from './queries.ts';

/**
 * Checks that the author can agree that a workspace pays for the reads of a key. Runs in the caller's transaction. Call it
 * before you lock the key: transactions that change the team lock the workspace first and then the keys. Throws not_found if
 * the author is not a member, and forbidden if the author is neither owner nor admin.
 */
export async function requirePayer(
  transaction: Querier,
  { actor }: AccountAuthor,
  workspaceId: string,
): Promise<void> {
  await lockTeamForShare(transaction, workspaceId);
  // This must be a separate statement. It then sees a change of the team that committed while the lock was waiting.
  const member = await findRole(transaction, actor.id, { workspaceId });
  if (!member)
    throw refusal('not_found', 'The paying workspace does not exist, or you are not a member of it.');
  if (member.role === 'viewer')
    throw refusal('forbidden', 'Only an owner or admin of the paying workspace may name it as payer.');
}

/** A refusal of the payer, which is a field of a form. */
function refusal(code: 'not_found' | 'forbidden', message: string): ProblemError {
  return new ProblemError(code, {
    detail: message,
    members: { errors: [{ path: 'subscriberWorkspaceId', message }] },
  });
}
