import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail, type AuditEntry } from '../../platform/audit/index.ts';
import { openTeam, requireAuthority } from './authority.ts';
import { endInvitation, findOpenInvitation, type OpenInvitation } from './invitation-queries.ts';

/** Withdraws an invitation: its token stops working. Throws forbidden, and not_found where it is not open. */
export async function withdrawInvitation(
  database: Database,
  author: Author,
  { workspaceId, invitationId }: { workspaceId: string; invitationId: string },
): Promise<void> {
  await database.forWorkspace(workspaceId).transaction(async (transaction) => {
    const manager = await openTeam(transaction, author, workspaceId);
    const invitation = await findOpenInvitation(transaction, workspaceId, { id: invitationId });
    if (!invitation) throw new ProblemError('not_found');
    requireAuthority(manager, invitation.role);
    await endInvitation(transaction, invitation.id);
    await auditTrail(transaction, [withdrawal(author, invitation)]);
  });
}

/** The audit record of an invitation that was withdrawn. */
export function withdrawal(author: Author, { id, workspaceId, email, role }: OpenInvitation): AuditEntry {
  return {
    ...author,
    action: 'invitation.withdrawn',
    workspaceId,
    targetId: id,
    details: { before: { email, role } },
  };
}
