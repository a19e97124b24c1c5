import type { Querier } from '../../../database/database.ts';
import { sql, type Sql } from '../../../database/sql.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import type { PageRequest } from '../../../core/page.ts';

export interface FoundKey extends KeyCaller {
  expiresAtMs: number | null;
}

/**
 * A key that is not revoked, of a tenant that is not disabled, with its workspace's plan. A limit of the key that is above the
 * plan counts as the plan's: the plan may have been lowered after the key was changed.
 */
export function findKey(
  db: Querier,
  kind: 'game' | 'api',
  fingerprint: Buffer,
): Promise<FoundKey | undefined> {
  return db.row(sql`SELECT * FROM guildhall_find_key(${kind}, ${fingerprint})`);
}

export async function touchKeys(db: Querier, keyIds: string[]): Promise<void> {
  await db.run(sql`SELECT guildhall_touch_keys(${keyIds}::uuid[])`);
}

/** A key as its tenant's administrators see it. */
export interface TenantKey {
  id: string;
  name: string;
  prefix: string;
  allowDataApi: boolean;
  subscriberWorkspaceId: string | null;
  /** Who agreed, for the paying workspace, that it pays, and when. */
  subscriberAgreedBy: string | null;
  subscriberAgreedAt: string | null;
  rateLimit: RateLimit | null;
  rateLimitPerMinute: number | null;
  payloadBytesPerMinute: number | null;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
  /** The key that took its place, by rotation. */
  successorId: string | null;
}

export interface RateLimit {
  perMinute: number | null;
  perHour: number | null;
}

const columns = sql`
  id, name, prefix, allow_data_api AS "allowDataApi", subscriber_workspace_id AS "subscriberWorkspaceId",
  subscriber_agreed_by AS "subscriberAgreedBy", subscriber_agreed_at AS "subscriberAgreedAt",
  CASE WHEN requests_per_minute IS NOT NULL OR requests_per_hour IS NOT NULL
    THEN jsonb_build_object('perMinute', requests_per_minute, 'perHour', requests_per_hour) END AS "rateLimit",
  alert_requests_per_minute AS "rateLimitPerMinute", alert_bytes_per_minute AS "payloadBytesPerMinute",
  created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt",
  successor_id AS "successorId"`;

/** Which keys of a tenant a page shows. */
export interface KeyFilter {
  tenantId: string;
  kind: 'game' | 'api';
  includeRevoked: boolean;
}

const matching = ({ tenantId, kind, includeRevoked }: KeyFilter): Sql =>
  sql`tenant_id = ${tenantId} AND kind = ${kind} AND (${includeRevoked} OR revoked_at IS NULL)`;

/** The keys of a tenant, the oldest first. */
export function listKeys(
  db: Querier,
  filter: KeyFilter,
  { limit, offset }: PageRequest,
): Promise<TenantKey[]> {
  return db.rows(sql`
    SELECT ${columns} FROM tenant_keys WHERE ${matching(filter)}
    ORDER BY created_at, id LIMIT ${limit} OFFSET ${offset}`);
}

export function countKeys(db: Querier, filter: KeyFilter): Promise<number> {
  return db.count(sql`SELECT count(*) FROM tenant_keys WHERE ${matching(filter)}`);
}

/** Names one key, whose tenant and kind must be those of the path. */
export interface KeyPlace {
  tenantId: string;
  kind: 'game' | 'api';
  keyId: string;
}

/** A key, its row locked until the transaction ends. */
export function lockKey(db: Querier, { tenantId, kind, keyId }: KeyPlace): Promise<TenantKey | undefined> {
  return db.row(sql`
    SELECT ${columns} FROM tenant_keys
    WHERE tenant_id = ${tenantId} AND kind = ${kind} AND id = ${keyId}
    FOR NO KEY UPDATE`);
}

/** What may be said of a key when it is made, and changed later. */
export interface KeyTraits {
  name: string;
  allowDataApi: boolean;
  subscriberWorkspaceId: string | null;
  subscriberAgreedBy: string | null;
  subscriberAgreedAt: string | null;
  rateLimit: RateLimit | null;
  rateLimitPerMinute: number | null;
  payloadBytesPerMinute: number | null;
  expiresAt: string | null;
}

export function insertKey(
  db: Querier,
  place: KeyPlace,
  secret: { prefix: string; fingerprint: Buffer },
  traits: KeyTraits,
): Promise<TenantKey | undefined> {
  return db.row(sql`
    INSERT INTO tenant_keys (id, tenant_id, kind, prefix, fingerprint, name, allow_data_api, subscriber_workspace_id,
      subscriber_agreed_by, subscriber_agreed_at, requests_per_minute, requests_per_hour, alert_requests_per_minute, alert_bytes_per_minute, expires_at)
    VALUES (${place.keyId}, ${place.tenantId}, ${place.kind}, ${secret.prefix}, ${secret.fingerprint}, ${traits.name},
      ${traits.allowDataApi}, ${traits.subscriberWorkspaceId}, ${traits.subscriberAgreedBy},
      ${traits.subscriberAgreedAt}, ${traits.rateLimit?.perMinute ?? null},
      ${traits.rateLimit?.perHour ?? null}, ${traits.rateLimitPerMinute}, ${traits.payloadBytesPerMinute},
      ${traits.expiresAt})
    RETURNING ${columns}`);
}

export function updateKey(
  db: Querier,
  { tenantId, keyId }: KeyPlace,
  traits: KeyTraits,
): Promise<TenantKey | undefined> {
  return db.row(sql`
    UPDATE tenant_keys
    SET name = ${traits.name}, allow_data_api = ${traits.allowDataApi},
        subscriber_workspace_id = ${traits.subscriberWorkspaceId},
        subscriber_agreed_by = ${traits.subscriberAgreedBy}, subscriber_agreed_at = ${traits.subscriberAgreedAt},
        requests_per_minute = ${traits.rateLimit?.perMinute ?? null},
        requests_per_hour = ${traits.rateLimit?.perHour ?? null},
        alert_requests_per_minute = ${traits.rateLimitPerMinute},
        alert_bytes_per_minute = ${traits.payloadBytesPerMinute}, expires_at = ${traits.expiresAt}
    WHERE tenant_id = ${tenantId} AND id = ${keyId}
    RETURNING ${columns}`);
}

export async function revokeKeyRow(db: Querier, { tenantId, keyId }: KeyPlace): Promise<void> {
  await db.run(
    sql`UPDATE tenant_keys SET revoked_at = now() WHERE tenant_id = ${tenantId} AND id = ${keyId}`,
  );
}

/** Writes down what took a key's place, and until when it still works. */
export async function replaceKey(
  db: Querier,
  { tenantId, keyId }: KeyPlace,
  { successorId, expiresAt }: { successorId: string; expiresAt: string },
): Promise<void> {
  await db.run(sql`
    UPDATE tenant_keys SET successor_id = ${successorId}, expires_at = ${expiresAt}
    WHERE tenant_id = ${tenantId} AND id = ${keyId}`);
}

/** The workspace of a tenant, and the limits of its plan. */
export function findPlan(
  db: Querier,
  tenantId: string,
): Promise<{ workspaceId: string; perMinute: number; perHour: number } | undefined> {
  return db.row(sql`
    SELECT workspace.id AS "workspaceId", workspace.requests_per_minute AS "perMinute",
           workspace.requests_per_hour AS "perHour"
    FROM tenants tenant JOIN workspaces workspace ON workspace.id = tenant.workspace_id
    WHERE tenant.id = ${tenantId}`);
}

/** Who pays for the reads of a key beside its own workspace; null if nobody does. */
export async function findPayer(db: Querier, { tenantId, keyId }: KeyPlace): Promise<string | null> {
  const row = await db.row<{ payerId: string | null }>(sql`
    SELECT subscriber_workspace_id AS "payerId" FROM tenant_keys WHERE tenant_id = ${tenantId} AND id = ${keyId}`);
  return row?.payerId ?? null;
}
