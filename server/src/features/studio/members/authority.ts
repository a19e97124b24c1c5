import type { Querier } from '../../../database/database.ts';
import { includesRole, roles, type Role } from '../../../core/role.ts';
import type { AccountAuthor } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { findRole, lockWorkspace } from '../workspaces/index.ts';
import { countOwners } from './queries.ts';

/** The account that changes a team, with its role. */
interface Manager {
  userId: string;
  role: Role;
  workspaceName: string;
}

/**
 * Locks a team until the transaction ends, and reads the current role of the author. The role that authorized the request comes
 * from a cache and can be one second old. Throws not_found if the author is not a member.
 */
export async function lockTeamForManager(
  transaction: Querier,
  { actor }: AccountAuthor,
  workspaceId: string,
): Promise<Manager> {
  const workspace = await lockWorkspace(transaction, workspaceId);
  const found = await findRole(transaction, actor.id, { workspaceId });
  if (!workspace || !found) throw new ProblemError('not_found');
  return { userId: actor.id, role: found.role, workspaceName: workspace.name };
}

/** Only admins and owners can change a team. Only owners can assign or change the role owner. Throws forbidden. */
export function requireAuthority({ role }: Manager, ...concerned: Role[]): void {
  const needed = concerned.includes('owner') ? 'owner' : 'admin';
  if (!includesRole(role, needed)) throw new ProblemError('forbidden', `This needs the role ${needed}.`);
}

/** Returns the roles that an account with this role cannot assign. Undefined means that the account is not a member. */
export function rolesNotAssignableBy(role: Role | undefined): Role[] {
  if (role === 'owner') return [];
  return role === 'admin' ? ['owner'] : [...roles];
}

/** Throws last_owner if the workspace has only one owner. */
export async function requireAnotherOwner(transaction: Querier, workspaceId: string): Promise<void> {
  if ((await countOwners(transaction, workspaceId)) < 2) throw new ProblemError('last_owner');
}
