import type { Database } from '../../../database/database.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import { ProblemError } from '../../../core/problem.ts';
import { findTenantProfile, type Profile } from './queries.ts';
import { isVisibleToOutsiders, summaryOf } from './views.ts';

/**
 * What a key's holder sees of a player. A game sees all players of its tenant, of private ones that they exist; an API
 * key's holder sees those alone who let themselves be seen. Throws not_found.
 */
export async function lookUpProfile(
  database: Database,
  { tenantId, kind }: KeyCaller,
  playerId: string,
): Promise<Profile | Pick<Profile, 'id' | 'profileVisibility'>> {
  const profile = await findTenantProfile(database.forTenant(tenantId), tenantId, playerId);
  if (!profile || (kind === 'api' && !isVisibleToOutsiders(profile))) throw new ProblemError('not_found');
  const { id, profileVisibility } = profile;
  return profileVisibility === 'private' ? { id, profileVisibility } : summaryOf(profile);
}
