import type { Querier } from '../../../../database/database.ts';
import { empty, sql } from '../../../../database/sql.ts';
import type { Identity } from '../../../sign-in/login/index.ts';
import type { AuthMethod } from './queries.ts';

/** A sign-in method, and the workspace to which it is restricted; null means all workspaces. */
interface LinkedMethod {
  methodId: string;
  linkedInWorkspace: string | null;
}

/** Finds the sign-in method of an identity, if it belongs to the player. */
export function findMethodOfIdentity(
  db: Querier,
  playerId: string,
  identity: Identity,
): Promise<LinkedMethod | undefined> {
  return db.row(sql`
    SELECT id AS "methodId", linked_in_workspace AS "linkedInWorkspace" FROM auth_methods
    WHERE player_id = ${playerId} AND auth_provider = ${identity.provider} AND issuer = ${identity.issuer}
      AND provider_user_id = ${identity.providerUserId}`);
}

/** Finds the sign-in method that opened a portal session, if it still belongs to the player. */
export function findMethodOfPortalSession(
  db: Querier,
  playerId: string,
  sessionId: string | null,
): Promise<LinkedMethod | undefined> {
  return db.row(sql`
    SELECT method.id AS "methodId", method.linked_in_workspace AS "linkedInWorkspace"
    FROM portal_sessions session
    CROSS JOIN LATERAL (
      SELECT * FROM auth_methods WHERE id = session.auth_method_id AND player_id = session.player_id OFFSET 0) method
    WHERE session.id = ${sessionId} AND session.player_id = ${playerId}`);
}

/** Lists the workspaces whose games a player has signed in to, and the workspace of the caller's tenant. Runs in the player's scope. */
export function listWorkspacesOfPlayer(
  db: Querier,
  playerId: string,
  tenantId: string | null,
): Promise<{ workspaceId: string; knowsPlayer: boolean; isCallers: boolean }[]> {
  return db.rows(sql`
    SELECT tenant.workspace_id AS "workspaceId", bool_or(place.knows) AS "knowsPlayer",
           coalesce(bool_or(tenant.id = ${tenantId}), false) AS "isCallers"
    FROM (SELECT tenant_id, true AS knows FROM tenant_access WHERE player_id = ${playerId}
          UNION ALL SELECT ${tenantId}::uuid, false) place
    CROSS JOIN LATERAL (SELECT id, workspace_id FROM tenants WHERE id = place.tenant_id OFFSET 0) tenant
    GROUP BY tenant.workspace_id`);
}

/**
 * Makes a sign-in method valid in all workspaces. The password of an address cannot be linked, so it follows the code of its address.
 * Returns false if both were valid.
 */
export function allowMethodEverywhere(
  db: Querier,
  playerId: string,
  { id, authProvider, providerUserId }: Pick<AuthMethod, 'id' | 'authProvider' | 'providerUserId'>,
): Promise<boolean> {
  const password =
    authProvider === 'EmailOneTimeCode'
      ? sql`OR (auth_provider = 'EmailPassword' AND provider_user_id = ${providerUserId})`
      : empty;
  return db.changes(sql`
    UPDATE auth_methods SET linked_in_workspace = NULL
    WHERE player_id = ${playerId} AND linked_in_workspace IS NOT NULL AND (id = ${id} ${password})`);
}
