import { isGuid } from '../../../core/ids.ts';
import { cursorPage, type CursorPage } from '../../../core/page.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { Database } from '../../../database/database.ts';
import {
  findAccountId,
  findAny,
  findWorkspaceIdOf,
  listAll,
  listMembersOf,
  listTenantsOf,
  listWorkspaceIdsOf,
  searchAll,
  type AnyWorkspace,
} from './platform-queries.ts';

/** Lists the workspaces of the deployment, newest first. For platform administrators. */
export async function listAnyWorkspaces(
  database: Database,
  { search, cursor, limit }: { search?: string; cursor?: string; limit: number },
): Promise<CursorPage<AnyWorkspace>> {
  const platform = database.forPlatform();
  const page = { cursor, limit: limit + 1 };
  const found = await (search === undefined
    ? listAll(platform, page)
    : searchAll(platform, { ...page, text: search, ids: await findIds(database, search) }));
  return cursorPage(found, limit, ({ id }) => id);
}

/** The workspace of an id or of the tenant with this id, or the workspaces of the account with an email address. */
async function findIds(database: Database, text: string): Promise<string[]> {
  if (isGuid(text)) return [(await findWorkspaceIdOf(database.forPlatform(), text))?.id ?? text];
  const account = await findAccountId(database.forPlatform(), text.toLowerCase());
  return account ? listWorkspaceIdsOf(database.forAccount(account.id), account.id) : [];
}

/** Reads a workspace with its members and tenants, of which the first 200 are listed. Throws not_found. */
export async function readAnyWorkspace(database: Database, workspaceId: string) {
  const scope = database.forWorkspace(workspaceId);
  const [workspace, members, tenants] = await Promise.all([
    findAny(scope, workspaceId),
    listMembersOf(scope, workspaceId),
    listTenantsOf(scope, workspaceId),
  ]);
  if (!workspace) throw new ProblemError('not_found');
  return { ...workspace, members, tenants };
}
