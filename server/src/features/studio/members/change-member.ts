import type { Database, Querier } from '../../../database/database.ts';
import type { Role } from '../../../core/role.ts';
import type { AccountAuthor } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { audit, auditAll } from '../../platform/audit/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { endPaymentsOf } from '../paid-keys/index.ts';
import {
  lockTeamForManager,
  requireAnotherOwner,
  requireAuthority,
  rolesNotAssignableBy,
} from './authority.ts';
import { endInvitationsBy } from './invitation-queries.ts';
import { deleteMembership, findMember, updateRole, type TeamEntry } from './queries.ts';
import { withdrawalRecord } from './withdraw-invitation.ts';

export interface ChangeMemberServices extends MailServices {
  database: Database;
  /** The cache of roles. */
  memberships: { invalidate(accountId: string): void };
  /** The cache of keys, which contains their payers. */
  keys: { invalidate(payerId: string): void };
}

interface MemberReference {
  workspaceId: string;
  userId: string;
}

/** Changes the role of a member. Throws not_found and forbidden. Throws last_owner if no owner would remain. */
export async function changeRole(
  services: ChangeMemberServices,
  author: AccountAuthor,
  { workspaceId, userId }: MemberReference,
  role: Role,
): Promise<TeamEntry> {
  const changed = await services.database.forWorkspace(workspaceId).transaction(async (transaction) => {
    const manager = await lockTeamForManager(transaction, author, workspaceId);
    const member = await findMember(transaction, workspaceId, userId);
    if (!member) throw new ProblemError('not_found');
    requireAuthority(manager, member.role, role);
    if (member.role === role) return member;
    if (member.role === 'owner') await requireAnotherOwner(transaction, workspaceId);
    await updateRole(transaction, workspaceId, { userId, role });
    await audit(transaction, {
      ...author,
      action: 'member.role_changed',
      workspaceId,
      targetId: userId,
      details: { before: { role: member.role }, after: { role } },
    });
    await withdrawInvitationsNotAllowed(transaction, author, { workspaceId, userId }, role);
    if (role === 'viewer') await endPaymentsOf(services, transaction, author, { workspaceId, userId });
    return { ...member, role };
  });
  invalidateCaches(services, { workspaceId, userId });
  return changed;
}

/** Removes a member. Every member can remove themselves. Throws the same errors as {@link changeRole}. */
export async function removeMember(
  services: ChangeMemberServices,
  author: AccountAuthor,
  { workspaceId, userId }: MemberReference,
): Promise<void> {
  await services.database.forWorkspace(workspaceId).transaction(async (transaction) => {
    const manager = await lockTeamForManager(transaction, author, workspaceId);
    const leaves = manager.userId === userId;
    if (!leaves) requireAuthority(manager);
    const member = await findMember(transaction, workspaceId, userId);
    if (!member) throw new ProblemError('not_found');
    if (!leaves) requireAuthority(manager, member.role);
    if (member.role === 'owner') await requireAnotherOwner(transaction, workspaceId);
    await deleteMembership(transaction, workspaceId, userId);
    await audit(transaction, {
      ...author,
      action: leaves ? 'member.left' : 'member.removed',
      workspaceId,
      targetId: userId,
      details: { before: { email: member.email, role: member.role } },
    });
    await withdrawInvitationsNotAllowed(transaction, author, { workspaceId, userId }, undefined);
    await endPaymentsOf(services, transaction, author, { workspaceId, userId });
  });
  invalidateCaches(services, { workspaceId, userId });
}

function invalidateCaches(
  { memberships, keys }: ChangeMemberServices,
  { workspaceId, userId }: MemberReference,
): void {
  memberships.invalidate(userId);
  keys.invalidate(workspaceId);
}

/**
 * Withdraws the open invitations that a member sent, for the roles that the member can no longer assign. Otherwise a removed
 * member could rejoin with an invitation that they sent earlier.
 */
async function withdrawInvitationsNotAllowed(
  transaction: Querier,
  author: AccountAuthor,
  { workspaceId, userId }: MemberReference,
  role: Role | undefined,
): Promise<void> {
  const roles = rolesNotAssignableBy(role);
  const withdrawn = await endInvitationsBy(transaction, workspaceId, { userId, roles });
  if (withdrawn.length > 0)
    await auditAll(
      transaction,
      withdrawn.map((invitation) => withdrawalRecord(author, invitation)),
    );
}
