import type { Database } from '../../../database/database.ts';
import type { AccountAuthor } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { audit, type AuditEntry } from '../../platform/audit/index.ts';
import { lockTeamForManager, requireAuthority } from './authority.ts';
import { endInvitation, findOpenInvitation, type OpenInvitation } from './invitation-queries.ts';

/** Withdraws an invitation. Its token stops working. Throws forbidden, and not_found if the invitation is not open. */
export async function withdrawInvitation(
  database: Database,
  author: AccountAuthor,
  { workspaceId, invitationId }: { workspaceId: string; invitationId: string },
): Promise<void> {
  await database.forWorkspace(workspaceId).transaction(async (transaction) => {
    const manager = await lockTeamForManager(transaction, author, workspaceId);
    const invitation = await findOpenInvitation(transaction, workspaceId, { id: invitationId });
    if (!invitation) throw new ProblemError('not_found');
    requireAuthority(manager, invitation.role);
    await endInvitation(transaction, invitation.id);
    await audit(transaction, withdrawalRecord(author, invitation));
  });
}

/** Returns the audit record of a withdrawn invitation. */
export function withdrawalRecord(
  author: AccountAuthor,
  { id, workspaceId, email, role }: OpenInvitation,
): AuditEntry {
  return {
    ...author,
    action: 'invitation.withdrawn',
    workspaceId,
    targetId: id,
    details: { before: { email, role } },
  };
}
