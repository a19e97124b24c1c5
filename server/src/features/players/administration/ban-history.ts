import type { Database } from '../../../database/database.ts';
import { readPage, type Page, type PageRequest } from '../../../core/page.ts';
import { ProblemError } from '../../../core/problem.ts';
import { countBans, hasAccess, listBans, type Ban } from './queries.ts';

/** A page of the bans that a player has had in a tenant, the latest first. Throws player_not_found. */
export async function banHistory(
  database: Database,
  tenantId: string,
  playerId: string,
  page: PageRequest,
): Promise<Page<Ban>> {
  const tenant = database.forTenant(tenantId);
  const [known, bans] = await Promise.all([
    hasAccess(tenant, tenantId, playerId),
    readPage(page, listBans(tenant, tenantId, playerId, page), countBans(tenant, tenantId, playerId)),
  ]);
  if (!known) throw new ProblemError('player_not_found', 'The tenant has no such player.');
  return bans;
}
