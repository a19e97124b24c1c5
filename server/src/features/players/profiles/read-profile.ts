import type { PlayerCaller } from '../../../core/callers.ts';
import type { Database, Querier } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { listAuthMethods, type AuthMethod } from './auth-methods/queries.ts';
import { readUnlessRevoked } from './lock-profile.ts';
import { findProfile, listTenantAccess, type ProfileRow, type TenantAccess } from './queries.ts';

/** A profile as its own player sees it. */
export interface FullProfile extends ProfileRow {
  authMethods: AuthMethod[];
  tenantAccess: TenantAccess[];
}

/** Reads the caller's own profile. Throws invalid_bearer if it does not exist, and for a token of a revoked session. */
export function readOwnProfile(database: Database, caller: PlayerCaller): Promise<FullProfile> {
  const { playerId } = caller;
  return readUnlessRevoked(database.forPlayer(playerId), caller, (transaction) =>
    assembleProfile(transaction, playerId),
  );
}

/** Reads the whole profile of a player. Throws invalid_bearer if it does not exist. */
export function readProfile(database: Database, playerId: string): Promise<FullProfile> {
  return database.forPlayer(playerId).transaction((transaction) => assembleProfile(transaction, playerId));
}

/** {@link readProfile} within a transaction in the player's scope. */
export async function assembleProfile(db: Querier, playerId: string): Promise<FullProfile> {
  const [profile, authMethods, tenantAccess] = await Promise.all([
    findProfile(db, playerId),
    listAuthMethods(db, playerId),
    listTenantAccess(db, playerId),
  ]);
  if (!profile) throw new ProblemError('invalid_bearer');
  return { ...profile, authMethods, tenantAccess };
}

/**
 * Lists the tenants that the caller has signed in to, with those of merged profiles. Throws invalid_bearer for a token of a revoked
 * session.
 */
export function readTenantAccess(database: Database, caller: PlayerCaller): Promise<TenantAccess[]> {
  const { playerId } = caller;
  return readUnlessRevoked(database.forPlayer(playerId), caller, (transaction) =>
    listTenantAccess(transaction, playerId),
  );
}
