import type { Database, Querier } from '../../../database/database.ts';
import type { Role } from '../../../core/role.ts';
import type { Author } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { endPaymentsOf } from '../paid-keys/index.ts';
import { openTeam, requireAnotherOwner, requireAuthority, rolesBeyond } from './authority.ts';
import { endInvitationsBy } from './invitation-queries.ts';
import { deleteMembership, findMember, updateRole, type TeamEntry } from './queries.ts';
import { withdrawal } from './withdraw-invitation.ts';

export interface MemberPlace {
  workspaceId: string;
  userId: string;
}

/** Gives a member another role. Throws not_found, forbidden, and last_owner where none would be left. */
export async function changeRole(
  services: MailServices & { database: Database },
  author: Author,
  { workspaceId, userId }: MemberPlace,
  role: Role,
): Promise<TeamEntry> {
  return services.database.forWorkspace(workspaceId).transaction(async (transaction) => {
    const manager = await openTeam(transaction, author, workspaceId);
    const member = await findMember(transaction, workspaceId, userId);
    if (!member) throw new ProblemError('not_found');
    requireAuthority(manager, member.role, role);
    if (member.role === role) return member;
    if (member.role === 'owner') await requireAnotherOwner(transaction, workspaceId);
    await updateRole(transaction, workspaceId, { userId, role });
    await auditTrail(transaction, [
      {
        ...author,
        action: 'member.role_changed',
        workspaceId,
        targetId: userId,
        details: { before: { role: member.role }, after: { role } },
      },
    ]);
    await withdrawInvitationsBeyond(transaction, author, { workspaceId, userId }, role);
    if (role === 'viewer') await endPaymentsOf(services, transaction, author, { workspaceId, userId });
    return { ...member, role };
  });
}

/** Removes a member, who may be the author: everybody may leave. Throws what changing a role throws. */
export async function removeMember(
  services: MailServices & { database: Database },
  author: Author,
  { workspaceId, userId }: MemberPlace,
): Promise<void> {
  await services.database.forWorkspace(workspaceId).transaction(async (transaction) => {
    const manager = await openTeam(transaction, author, workspaceId);
    const leaves = manager.userId === userId;
    if (!leaves) requireAuthority(manager);
    const member = await findMember(transaction, workspaceId, userId);
    if (!member) throw new ProblemError('not_found');
    if (!leaves) requireAuthority(manager, member.role);
    if (member.role === 'owner') await requireAnotherOwner(transaction, workspaceId);
    await deleteMembership(transaction, workspaceId, userId);
    await auditTrail(transaction, [
      {
        ...author,
        action: leaves ? 'member.left' : 'member.removed',
        workspaceId,
        targetId: userId,
        details: { before: { email: member.email, role: member.role } },
      },
    ]);
    await withdrawInvitationsBeyond(transaction, author, { workspaceId, userId }, undefined);
    await endPaymentsOf(services, transaction, author, { workspaceId, userId });
  });
}

/** What somebody could not invite to any more, they have not invited to: else a removed member could come back by it. */
async function withdrawInvitationsBeyond(
  transaction: Querier,
  author: Author,
  { workspaceId, userId }: MemberPlace,
  role: Role | undefined,
): Promise<void> {
  const roles = rolesBeyond(role);
  const withdrawn = await endInvitationsBy(transaction, workspaceId, { userId, roles });
  if (withdrawn.length > 0)
    await auditTrail(
      transaction,
      withdrawn.map((invitation) => withdrawal(author, invitation)),
    );
}
