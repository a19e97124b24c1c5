import { getAddress, isAddress } from 'viem';
import type { Author } from '../../../core/author.ts';
import { isGuid } from '../../../core/ids.ts';
import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { auditAll } from '../../platform/audit/index.ts';
import { findActiveId } from '../lookup/index.ts';
import { readProfile, type FullProfile } from '../profiles/index.ts';
import { findPlayersByEmail, findPlayersByIdentity } from './identity-queries.ts';

/** No text identifies more players: an id, an address, and an id at each provider. */
export const MAX_FOUND_PROFILES = 10;

export interface SearchServices {
  database: Database;
  vault: Vault;
}

/**
 * Finds the players of a whole id, email address or id at a provider, in all tenants. It finds no names, because a platform
 * administrator looks for one person. The id of a merged profile finds the profile that it was merged into. Each search leaves audit
 * records before it returns.
 */
export async function searchProfiles(
  services: SearchServices,
  text: string,
  author: Author,
): Promise<FullProfile[]> {
  const { database } = services;
  const userIds = [...new Set([text, text.toLowerCase(), ...(isAddress(text) ? [getAddress(text)] : [])])];
  const [byId, byEmail, byIdentity] = await Promise.all([
    isGuid(text) ? findActiveId(database, text) : undefined,
    findPlayersByEmail(database, text.toLowerCase()),
    findPlayersByIdentity(database, userIds),
  ]);
  const found = new Set([...(byId === undefined ? [] : [byId]), ...byEmail, ...byIdentity]);
  const ids = [...found].slice(0, MAX_FOUND_PROFILES);
  await recordSearch(services, text, ids, author);
  return Promise.all(ids.map((id) => readProfile(database, id)));
}

/**
 * Writes one record for each player that was found, or one without a target. The text can be an email address, and records outlive
 * profiles. So they have its fingerprint: the same text has the same, and only this deployment can compute it.
 */
async function recordSearch(
  { database, vault }: SearchServices,
  text: string,
  ids: string[],
  author: Author,
): Promise<void> {
  const searchFingerprint = vault.fingerprint(`player search ${text.toLowerCase()}`).toString('hex');
  const targets = ids.length === 0 ? [null] : ids;
  await auditAll(
    database,
    targets.map((targetId) => ({
      ...author,
      action: 'player.searched',
      targetId,
      details: { searchFingerprint, found: ids.length },
    })),
  );
}
