import { cursorPage, type CursorPage } from '../../../core/page.ts';
import type { Database } from '../../../database/database.ts';
import { findProfilesOf } from '../../players/merged-profiles/index.ts';
import { selectMatches, type ListedMatch, type MatchFilter } from './queries.ts';

/**
 * Lists the matches of a tenant, newest first. Those of a player include those of merged profiles. The cursor is the id of the last
 * match, so new matches do not shift the pages.
 */
export async function listMatches(
  database: Database,
  tenantId: string,
  { limit, playerId, ...filter }: Omit<MatchFilter, 'playerIds'> & { playerId?: string; limit: number },
): Promise<CursorPage<ListedMatch>> {
  const tenant = database.heavy.forTenant(tenantId);
  const playerIds = playerId === undefined ? undefined : await findProfilesOf(tenant, tenantId, [playerId]);
  const found = await selectMatches(tenant, tenantId, { ...filter, playerIds }, limit + 1);
  return cursorPage(found, limit, ({ matchSessionId }) => matchSessionId);
}
