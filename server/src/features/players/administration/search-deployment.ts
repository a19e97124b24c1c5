import { getAddress, isAddress } from 'viem';
import { isGuid } from '../../../core/ids.ts';
import type { Database } from '../../../database/database.ts';
import { findActiveId } from '../lookup/index.ts';
import { readProfile, type FullProfile } from '../profiles/index.ts';
import { findPlayersByEmail, findPlayersByIdentity } from './identity-queries.ts';

/** No text identifies more players: an id, an address, and an id at each provider. */
export const MAX_FOUND_PROFILES = 10;

/**
 * Finds the players of a whole id, e-mail address or id at a provider, in all tenants. It finds no names, because a platform
 * administrator looks for one person. The id of a merged profile finds the profile that it was merged into.
 */
export async function searchProfiles(database: Database, text: string): Promise<FullProfile[]> {
  const userIds = [...new Set([text, text.toLowerCase(), ...(isAddress(text) ? [getAddress(text)] : [])])];
  const [byId, byEmail, byIdentity] = await Promise.all([
    isGuid(text) ? findActiveId(database, text) : undefined,
    findPlayersByEmail(database, text.toLowerCase()),
    findPlayersByIdentity(database, userIds),
  ]);
  const found = new Set([...(byId === undefined ? [] : [byId]), ...byEmail, ...byIdentity]);
  const ids = [...found].slice(0, MAX_FOUND_PROFILES);
  return Promise.all(ids.map((id) => readProfile(database, id)));
}
