import type { Database } from '../../../database/database.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { ProblemError } from '../../../core/problem.ts';
import { countWorkspaces, findWorkspace, listWorkspaces, type Workspace } from './queries.ts';

/** Returns a page of the workspaces that an account is a member of. */
export async function readWorkspaces(database: Database, accountId: string, page: PageRequest) {
  const account = database.forAccount(accountId);
  return readPage(page, listWorkspaces(account, accountId, page), countWorkspaces(account, accountId));
}

/** Returns a workspace. Throws not_found if the account is not a member. */
export async function readWorkspace(
  database: Database,
  workspaceId: string,
  accountId: string,
): Promise<Workspace> {
  const found = await findWorkspace(database.forAccount(accountId), workspaceId, accountId);
  if (!found) throw new ProblemError('not_found');
  return found;
}
