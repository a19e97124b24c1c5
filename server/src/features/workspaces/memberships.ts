import type { ChangeFeed } from '../../database/change-feed.ts';
import type { Database } from '../../database/database.ts';
import { remember } from '../../database/remembered.ts';
import type { Role } from '../../http/credential-scope.ts';
import type { Place } from '../../http/credentials.ts';
import { findRole } from './queries.ts';

const REMEMBERED_ROLES = 10_000;

/** Looks up what an account may do in a workspace or tenant; undefined where it is no member. Remembers it. */
export function openMemberships(database: Database, changes: ChangeFeed) {
  const known = remember<{ role: Role }>(changes, ['memberships', 'tenants'], REMEMBERED_ROLES);
  return async (accountId: string, place: Place): Promise<Role | undefined> => {
    const name = 'tenantId' in place ? `tenant ${place.tenantId}` : `workspace ${place.workspaceId}`;
    const found = await known.get(`${accountId} ${name}`, () => findRole(database, accountId, place));
    return found?.role;
  };
}
