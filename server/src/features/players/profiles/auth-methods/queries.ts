import type { Querier } from '../../../../database/database.ts';
import { sql } from '../../../../database/sql.ts';
import type { Identity } from '../../../sign-in/login/index.ts';
import type { Provider } from '../../../studio/tenants/index.ts';

/** How many sign-in methods a profile can have before no more can be linked. The password of an email address is an extra one. */
export const MAX_AUTH_METHODS = 50;

/** A sign-in method as its own player sees it. */
export interface AuthMethod {
  id: string;
  authProvider: Provider;
  providerUserId: string;
  email: string | null;
  username: string | null;
  displayName: string | null;
  avatarUrl: string | null;
  isPrimary: boolean;
  linkedAt: string;
  lastUsedAt: string | null;
}

const methodColumns = sql`id, auth_provider AS "authProvider", provider_user_id AS "providerUserId", email, username,
    display_name AS "displayName", avatar_url AS "avatarUrl", is_primary AS "isPrimary", linked_at AS "linkedAt",
    last_used_at AS "lastUsedAt"`;

/** Lists the sign-in methods: the primary one first, then in the order of linking. */
export function listAuthMethods(db: Querier, playerId: string): Promise<AuthMethod[]> {
  return db.rows(sql`
    SELECT ${methodColumns} FROM auth_methods WHERE player_id = ${playerId}
    ORDER BY is_primary DESC, linked_at, id`);
}

/** Finds a sign-in method. Returns undefined if it is not the player's. */
export function findAuthMethod(
  db: Querier,
  playerId: string,
  methodId: string,
): Promise<AuthMethod | undefined> {
  return db.row(sql`
    SELECT ${methodColumns} FROM auth_methods WHERE id = ${methodId} AND player_id = ${playerId}`);
}

/** Finds the sign-in method of an identity, and its player, who may be outside of the scope. */
export function findIdentity(
  db: Querier,
  identity: Identity,
): Promise<{ methodId: string; playerId: string; secretHash: Buffer | null } | undefined> {
  return db.row(sql`
    SELECT * FROM guildhall_find_identity(${identity.provider}, ${identity.issuer}, ${identity.providerUserId})`);
}

/** The fields of a new sign-in method beside its identity. */
interface NewAuthMethod {
  id: string;
  playerId: string;
  at: string;
  /** The workspace to which the method is restricted; null means all workspaces. */
  linkedInWorkspace: string | null;
}

/** Adds a sign-in method that is not primary. Returns undefined if a player already has the identity. */
export function insertAuthMethod(
  db: Querier,
  identity: Identity,
  { id, playerId, at, linkedInWorkspace }: NewAuthMethod,
): Promise<AuthMethod | undefined> {
  return db.row(sql`
    INSERT INTO auth_methods (id, player_id, auth_provider, issuer, provider_user_id, email, username, display_name,
                              wallet_address, secret_hash, linked_at, linked_in_workspace)
    VALUES (${id}, ${playerId}, ${identity.provider}, ${identity.issuer}, ${identity.providerUserId}, ${identity.email},
            ${identity.username}, ${identity.displayName}, ${identity.walletAddress}, ${identity.secretHash}, ${at},
            ${linkedInWorkspace})
    ON CONFLICT (auth_provider, issuer, provider_user_id) DO NOTHING
    RETURNING ${methodColumns}`);
}

/** Removes a sign-in method and returns it. Returns undefined if it is not the player's. */
export function deleteAuthMethod(
  db: Querier,
  playerId: string,
  methodId: string,
): Promise<{ isPrimary: boolean; provider: Provider; providerUserId: string } | undefined> {
  return db.row(sql`
    DELETE FROM auth_methods WHERE id = ${methodId} AND player_id = ${playerId}
    RETURNING is_primary AS "isPrimary", auth_provider AS provider, provider_user_id AS "providerUserId"`);
}

/** Finds the last used sign-in method. If none was used, the first linked one. */
export function findLastUsedMethod(db: Querier, playerId: string): Promise<AuthMethod | undefined> {
  return db.row(sql`
    SELECT ${methodColumns} FROM auth_methods WHERE player_id = ${playerId}
    ORDER BY last_used_at DESC NULLS LAST, linked_at, id LIMIT 1`);
}

/** Makes a sign-in method of the player the primary one, and returns it. */
export async function makePrimary(db: Querier, playerId: string, method: AuthMethod): Promise<AuthMethod> {
  // Two statements, because the unique index on the primary method is checked row by row.
  await db.run(sql`UPDATE auth_methods SET is_primary = false WHERE player_id = ${playerId} AND is_primary`);
  await db.run(sql`UPDATE auth_methods SET is_primary = true WHERE id = ${method.id}`);
  return { ...method, isPrimary: true };
}

/** Removes all sign-in methods of a player and returns their number. */
export function deleteAuthMethods(db: Querier, playerId: string): Promise<number> {
  return db.run(sql`DELETE FROM auth_methods WHERE player_id = ${playerId}`);
}
