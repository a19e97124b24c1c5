import type { Querier } from '../../../database/database.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { countTeam, listTeam } from './queries.ts';

/** A page of the members of a workspace and of its open invitations. */
export async function readTeam(db: Querier, workspaceId: string, page: PageRequest) {
  return readPage(page, listTeam(db, workspaceId, page), countTeam(db, workspaceId));
}
