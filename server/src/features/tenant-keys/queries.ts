import type { Querier } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { KeyCaller } from '../../http/request-context.ts';

export interface FoundKey extends KeyCaller {
  expiresAtMs: number | null;
}

/** A key that is not revoked, of a tenant that is not disabled, with its workspace's plan. */
export function findKey(
  db: Querier,
  kind: 'game' | 'api',
  fingerprint: Buffer,
): Promise<FoundKey | undefined> {
  return db.row(sql`
    SELECT key.id AS "keyId", key.kind, key.tenant_id AS "tenantId", tenant.workspace_id AS "workspaceId",
           key.allow_data_api AS "allowDataApi",
           workspace.max_match_event_records_per_request AS "maxMatchEventsPerRequest",
           workspace.max_player_event_records_per_request AS "maxPlayerEventsPerRequest",
           (extract(epoch FROM key.expires_at) * 1000)::float8 AS "expiresAtMs"
    FROM tenant_keys key
    JOIN tenants tenant ON tenant.id = key.tenant_id
    JOIN workspaces workspace ON workspace.id = tenant.workspace_id
    WHERE key.fingerprint = ${fingerprint} AND key.kind = ${kind}
      AND key.revoked_at IS NULL AND tenant.disabled_at IS NULL`);
}

export async function touchKeys(db: Querier, keyIds: string[]): Promise<void> {
  await db.run(sql`UPDATE tenant_keys SET last_used_at = now() WHERE id = ANY(${keyIds}::uuid[])`);
}
