import type { Database } from '../../../database/database.ts';
import { selectMatches, type ListedMatch, type MatchFilter } from './queries.ts';

export interface MatchPage {
  items: ListedMatch[];
  hasMore: boolean;
  nextCursor?: string;
}

/** Lists the matches of a tenant, newest first. The cursor is the id of the last match, so new matches do not shift the pages. */
export async function listMatches(
  database: Database,
  tenantId: string,
  { limit, ...filter }: MatchFilter & { limit: number },
): Promise<MatchPage> {
  const tenant = database.heavy.forTenant(tenantId);
  // One additional match shows whether there is a next page.
  const found = await selectMatches(tenant, tenantId, filter, limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return found.length > limit && last
    ? { items, hasMore: true, nextCursor: last.matchSessionId }
    : { items, hasMore: false };
}
