import type { Querier } from '../../../database/database.ts';
import { roles, type Role } from '../../../core/role.ts';
import type { Author } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { findRole } from '../workspaces/index.ts';
import { countOwners, lockTeam } from './queries.ts';

/** Who changes a team, and as what. */
export interface Manager {
  userId: string;
  role: Role;
  workspaceName: string;
}

/**
 * Lets the caller's transaction change a team, alone, and reads what the author is in it now: what the request was let in
 * with may be a second old. Throws not_found for who is no member.
 */
export async function openTeam(
  transaction: Querier,
  { actor }: Author,
  workspaceId: string,
): Promise<Manager> {
  const workspace = await lockTeam(transaction, workspaceId);
  const found = actor.id && (await findRole(transaction, actor.id, { workspaceId }));
  if (!workspace || !actor.id || !found) throw new ProblemError('not_found');
  return { userId: actor.id, role: found.role, workspaceName: workspace.name };
}

/** Only administrators change a team, and only owners make or change owners. Throws forbidden. */
export function requireAuthority({ role }: Manager, ...concerned: Role[]): void {
  const needed = concerned.includes('owner') ? 'owner' : 'admin';
  if (roles.indexOf(role) < roles.indexOf(needed))
    throw new ProblemError('forbidden', `This needs the role ${needed}.`);
}

/** The roles that somebody of this role, or of none any more, may not give. */
export function rolesBeyond(role: Role | undefined): Role[] {
  if (role === 'owner') return [];
  return role === 'admin' ? ['owner'] : [...roles];
}

/** A workspace always has an owner. Throws last_owner. */
export async function requireAnotherOwner(transaction: Querier, workspaceId: string): Promise<void> {
  if ((await countOwners(transaction, workspaceId)) < 2) throw new ProblemError('last_owner');
}
