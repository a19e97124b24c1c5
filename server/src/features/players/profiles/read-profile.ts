import type { Database, Querier } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import {
  findProfile,
  listAuthMethods,
  listTenantAccess,
  type AuthMethod,
  type ProfileRow,
  type TenantAccess,
} from './queries.ts';

/** A profile as its player sees it (spec: FullPlayerProfileDTO). */
export interface FullProfile extends ProfileRow {
  authMethods: AuthMethod[];
  tenantAccess: TenantAccess[];
}

/** A player's own profile. */
export function readProfile(database: Database, playerId: string): Promise<FullProfile> {
  return database.forPlayer(playerId).transaction((transaction) => assembleProfile(transaction, playerId));
}

/** As {@link readProfile}, as a transaction in the player's scope sees it. */
export async function assembleProfile(db: Querier, playerId: string): Promise<FullProfile> {
  const [profile, authMethods, tenantAccess] = await Promise.all([
    findProfile(db, playerId),
    listAuthMethods(db, playerId),
    listTenantAccess(db, playerId),
  ]);
  if (!profile) throw new ProblemError('invalid_bearer');
  return { ...profile, authMethods, tenantAccess };
}

/** The tenants that a player has come to, those of profiles that were merged into theirs included. */
export function readTenantAccess(database: Database, playerId: string): Promise<TenantAccess[]> {
  return listTenantAccess(database.forPlayer(playerId), playerId);
}
