import type { Querier } from '../../database/database.ts';
import { countTeam, listTeam } from './queries.ts';

/** A page of the members of a workspace and of its open invitations. */
export async function readTeam(db: Querier, workspaceId: string, page: { limit: number; offset: number }) {
  const [items, totalCount] = await Promise.all([
    listTeam(db, workspaceId, page),
    countTeam(db, workspaceId),
  ]);
  return { items, limit: page.limit, offset: page.offset, totalCount };
}
