import type { Querier } from '../../../database/database.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { ProblemError } from '../../../core/problem.ts';
import { countWorkspaces, findWorkspace, listWorkspaces, type Workspace } from './queries.ts';

/** Returns a page of the workspaces that an account is a member of. */
export async function readWorkspaces(db: Querier, accountId: string, page: PageRequest) {
  return readPage(page, listWorkspaces(db, accountId, page), countWorkspaces(db, accountId));
}

/** Returns a workspace. Throws not_found if the account is not a member. */
export async function readWorkspace(db: Querier, workspaceId: string, accountId: string): Promise<Workspace> {
  const found = await findWorkspace(db, workspaceId, accountId);
  if (!found) throw new ProblemError('not_found');
  return found;
}
