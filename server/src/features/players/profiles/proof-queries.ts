import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { Identity } from '../../sign-in/login/index.ts';

/** A sign-in method of a player, and the workspace that it is good in; null if everywhere. */
export interface ShownMethod {
  methodId: string;
  linkedIn: string | null;
}

/** The method of an identity, if it is the player's. */
export function findMethodOfIdentity(
  db: Querier,
  playerId: string,
  identity: Identity,
): Promise<ShownMethod | undefined> {
  return db.row(sql`
    SELECT id AS "methodId", linked_in_workspace AS "linkedIn" FROM auth_methods
    WHERE player_id = ${playerId} AND auth_provider = ${identity.provider} AND issuer = ${identity.issuer}
      AND provider_user_id = ${identity.providerUserId}`);
}

/** The method by which a portal session was opened, if it is the player's still. */
export function findMethodOfPortalSession(
  db: Querier,
  playerId: string,
  sessionId: string | null,
): Promise<ShownMethod | undefined> {
  return db.row(sql`
    SELECT method.id AS "methodId", method.linked_in_workspace AS "linkedIn"
    FROM portal_sessions session
    JOIN auth_methods method ON method.id = session.auth_method_id AND method.player_id = session.player_id
    WHERE session.id = ${sessionId} AND session.player_id = ${playerId}`);
}

/** The workspaces whose games a player has signed in to, in the player's scope, and that of the caller's tenant. */
export function listKnownWorkspaces(
  db: Querier,
  playerId: string,
  tenantId: string | null,
): Promise<{ workspaceId: string; isKnowing: boolean; isOwn: boolean }[]> {
  return db.rows(sql`
    SELECT tenant.workspace_id AS "workspaceId", bool_or(place.knows) AS "isKnowing",
           coalesce(bool_or(tenant.id = ${tenantId}), false) AS "isOwn"
    FROM (SELECT tenant_id, true AS knows FROM tenant_access WHERE player_id = ${playerId}
          UNION ALL SELECT ${tenantId}::uuid, false) place
    JOIN tenants tenant ON tenant.id = place.tenant_id
    GROUP BY tenant.workspace_id`);
}

/** The tenants that know a player. */
export async function listKnowingTenants(db: Querier, playerId: string): Promise<string[]> {
  const rows = await db.rows<{ tenantId: string }>(sql`
    SELECT tenant_id AS "tenantId" FROM tenant_access WHERE player_id = ${playerId} ORDER BY tenant_id`);
  return rows.map(({ tenantId }) => tenantId);
}

/** Makes a sign-in method good everywhere. */
export async function confirmMethod(db: Querier, methodId: string): Promise<void> {
  await db.run(sql`UPDATE auth_methods SET linked_in_workspace = NULL WHERE id = ${methodId}`);
}
