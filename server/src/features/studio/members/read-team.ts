import type { Database } from '../../../database/database.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { countTeam, listTeam } from './queries.ts';

/** Reads a page of the members of a workspace and its open invitations. */
export async function readTeam(database: Database, workspaceId: string, page: PageRequest) {
  const workspace = database.forWorkspace(workspaceId);
  return readPage(page, listTeam(workspace, workspaceId, page), countTeam(workspace, workspaceId));
}
