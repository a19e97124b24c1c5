import type { Querier } from '../../database/database.ts';
import { Problem } from '../../shared/problem.ts';
import { countWorkspaces, findWorkspace, listWorkspaces, type Workspace } from './queries.ts';

/** A page of the workspaces that an account is a member of. */
export async function readWorkspaces(
  db: Querier,
  accountId: string,
  page: { limit: number; offset: number },
) {
  const [items, totalCount] = await Promise.all([
    listWorkspaces(db, accountId, page),
    countWorkspaces(db, accountId),
  ]);
  return { items, limit: page.limit, offset: page.offset, totalCount };
}

/** One workspace as its member sees it. Throws not_found for anyone else. */
export async function readWorkspace(db: Querier, workspaceId: string, accountId: string): Promise<Workspace> {
  const found = await findWorkspace(db, workspaceId, accountId);
  if (!found) throw new Problem('not_found');
  return found;
}
