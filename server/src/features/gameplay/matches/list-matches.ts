import { cursorPage, type CursorPage } from '../../../core/page.ts';
import type { Database } from '../../../database/database.ts';
import { selectMatches, type ListedMatch, type MatchFilter } from './queries.ts';

/** Lists the matches of a tenant, newest first. The cursor is the id of the last match, so new matches do not shift the pages. */
export async function listMatches(
  database: Database,
  tenantId: string,
  { limit, ...filter }: MatchFilter & { limit: number },
): Promise<CursorPage<ListedMatch>> {
  const tenant = database.heavy.forTenant(tenantId);
  const found = await selectMatches(tenant, tenantId, filter, limit + 1);
  return cursorPage(found, limit, ({ matchSessionId }) => matchSessionId);
}
