import type { Database } from '../../../database/database.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { countPaidKeys, listPaidKeys } from './queries.ts';

/** Reads a page of the API keys of other workspaces that a workspace pays for. */
export async function readPaidKeys(database: Database, workspaceId: string, page: PageRequest) {
  const workspace = database.forWorkspace(workspaceId);
  return readPage(page, listPaidKeys(workspace, page), countPaidKeys(workspace));
}
