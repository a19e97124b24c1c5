import type { Querier } from '../../../database/database.ts';
import { sql, type Sql } from '../../../database/sql.ts';
import type { KeyCaller, KeyKind } from '../../../core/callers.ts';
import type { PageRequest } from '../../../core/page.ts';

export interface FoundKey extends KeyCaller {
  expiresAtMs: number | null;
}

/**
 * Finds a key that is not revoked, in a tenant that is not disabled, with the plan of its workspace. The effective rate limit is
 * the lower one of key and plan, because the plan can be lowered after the key was created.
 */
export function findKey(db: Querier, kind: KeyKind, fingerprint: Buffer): Promise<FoundKey | undefined> {
  return db.row(sql`SELECT * FROM guildhall_find_key_caller(${kind}, ${fingerprint})`);
}

/** Records when keys of any tenant were used, by their ids. An earlier use than the recorded one changes nothing. */
export async function updateLastUsed(db: Querier, usedAtMs: Map<string, number>): Promise<void> {
  // All processes lock the keys in the same order, so they cannot deadlock.
  const uses = [...usedAtMs].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const times = uses.map(([, ms]) => new Date(ms).toISOString());
  await db.run(sql`
    SELECT guildhall_touch_keys(${uses.map(([keyId]) => keyId)}::uuid[], ${times}::timestamptz[])`);
}

/** The settings of a key that can be chosen at creation and changed later. */
export interface KeySettings {
  name: string;
  allowDataApi: boolean;
  requirePlayerToken: boolean;
  subscriberWorkspaceId: string | null;
  /** The agreement that pays for the key. A rotation gives it to the successor. */
  subscriberAgreementId: string | null;
  /** The account that agreed to pay on behalf of the paying workspace. */
  subscriberAgreedBy: string | null;
  subscriberAgreedAt: string | null;
  rateLimit: KeyRateLimit | null;
  rateLimitPerMinute: number | null;
  payloadBytesPerMinute: number | null;
  expiresAt: string | null;
}

/** A key as the console shows it. */
export interface TenantKey extends KeySettings {
  id: string;
  prefix: string;
  createdAt: string;
  revokedAt: string | null;
  lastUsedAt: string | null;
  /** The key that replaced this one in a rotation. */
  successorId: string | null;
}

export interface KeyRateLimit {
  perMinute: number | null;
  perHour: number | null;
}

const columns = sql`
  id, name, prefix, allow_data_api AS "allowDataApi", require_player_token AS "requirePlayerToken",
  subscriber_workspace_id AS "subscriberWorkspaceId", subscriber_agreement_id AS "subscriberAgreementId",
  subscriber_agreed_by AS "subscriberAgreedBy", subscriber_agreed_at AS "subscriberAgreedAt",
  CASE WHEN requests_per_minute IS NOT NULL OR requests_per_hour IS NOT NULL
    THEN jsonb_build_object('perMinute', requests_per_minute, 'perHour', requests_per_hour) END AS "rateLimit",
  alert_requests_per_minute AS "rateLimitPerMinute", alert_bytes_per_minute AS "payloadBytesPerMinute",
  created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt",
  successor_id AS "successorId"`;

/** The keys of one kind of a tenant. */
export interface KeyGroup {
  tenantId: string;
  kind: KeyKind;
}

/** Selects the keys that a page contains. */
export interface KeyFilter extends KeyGroup {
  includeRevoked: boolean;
}

const matching = ({ tenantId, kind, includeRevoked }: KeyFilter): Sql =>
  sql`tenant_id = ${tenantId} AND kind = ${kind} AND (${includeRevoked} OR revoked_at IS NULL)`;

/** Lists the keys of a tenant, newest first. */
export function listKeys(
  db: Querier,
  filter: KeyFilter,
  { limit, offset }: PageRequest,
): Promise<TenantKey[]> {
  return db.rows(sql`
    SELECT ${columns} FROM tenant_keys WHERE ${matching(filter)}
    ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`);
}

export function countKeys(db: Querier, filter: KeyFilter): Promise<number> {
  return db.count(sql`SELECT count(*) FROM tenant_keys WHERE ${matching(filter)}`);
}

/** Counts the keys that are neither revoked nor expired, except one if it is given. */
export function countUsableKeys(
  db: Querier,
  { tenantId, kind }: KeyGroup,
  exceptId?: string,
): Promise<number> {
  return db.count(sql`
    SELECT count(*) FROM tenant_keys
    WHERE tenant_id = ${tenantId} AND kind = ${kind} AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > now()) AND id IS DISTINCT FROM ${exceptId ?? null}::uuid`);
}

/** Returns whether a tenant created at least `count` keys of a kind in the last 24 hours. */
export function hasNewKeys(db: Querier, { tenantId, kind }: KeyGroup, count: number): Promise<boolean> {
  return db.exists(sql`
    SELECT FROM tenant_keys
    WHERE tenant_id = ${tenantId} AND kind = ${kind} AND created_at > now() - interval '24 hours'
    OFFSET ${count - 1}`);
}

/** Identifies a key. The tenant and the kind must match the path of the request. */
export interface KeyReference extends KeyGroup {
  keyId: string;
}

/** Finds a key and locks its row until the transaction ends. */
export function lockKey(
  db: Querier,
  { tenantId, kind, keyId }: KeyReference,
): Promise<TenantKey | undefined> {
  return db.row(sql`
    SELECT ${columns} FROM tenant_keys
    WHERE tenant_id = ${tenantId} AND kind = ${kind} AND id = ${keyId}
    FOR NO KEY UPDATE`);
}

export function insertKey(
  db: Querier,
  reference: KeyReference,
  secret: { prefix: string; fingerprint: Buffer },
  settings: KeySettings,
): Promise<TenantKey> {
  return db.one(sql`
    INSERT INTO tenant_keys (id, tenant_id, kind, prefix, fingerprint, name, allow_data_api, require_player_token,
      subscriber_workspace_id, subscriber_agreement_id, subscriber_agreed_by, subscriber_agreed_at, requests_per_minute,
      requests_per_hour, alert_requests_per_minute, alert_bytes_per_minute, expires_at)
    VALUES (${reference.keyId}, ${reference.tenantId}, ${reference.kind}, ${secret.prefix}, ${secret.fingerprint}, ${settings.name},
      ${settings.allowDataApi}, ${settings.requirePlayerToken}, ${settings.subscriberWorkspaceId},
      ${settings.subscriberAgreementId}, ${settings.subscriberAgreedBy}, ${settings.subscriberAgreedAt},
      ${settings.rateLimit?.perMinute ?? null}, ${settings.rateLimit?.perHour ?? null}, ${settings.rateLimitPerMinute},
      ${settings.payloadBytesPerMinute}, ${settings.expiresAt})
    RETURNING ${columns}`);
}

export function updateKey(
  db: Querier,
  { tenantId, keyId }: KeyReference,
  settings: KeySettings,
): Promise<TenantKey> {
  return db.one(sql`
    UPDATE tenant_keys
    SET name = ${settings.name}, allow_data_api = ${settings.allowDataApi},
        require_player_token = ${settings.requirePlayerToken},
        subscriber_workspace_id = ${settings.subscriberWorkspaceId},
        subscriber_agreement_id = ${settings.subscriberAgreementId},
        subscriber_agreed_by = ${settings.subscriberAgreedBy}, subscriber_agreed_at = ${settings.subscriberAgreedAt},
        requests_per_minute = ${settings.rateLimit?.perMinute ?? null},
        requests_per_hour = ${settings.rateLimit?.perHour ?? null},
        alert_requests_per_minute = ${settings.rateLimitPerMinute},
        alert_bytes_per_minute = ${settings.payloadBytesPerMinute}, expires_at = ${settings.expiresAt}
    WHERE tenant_id = ${tenantId} AND id = ${keyId}
    RETURNING ${columns}`);
}

export async function revokeKeyRow(db: Querier, { tenantId, keyId }: KeyReference): Promise<void> {
  await db.run(
    sql`UPDATE tenant_keys SET revoked_at = now() WHERE tenant_id = ${tenantId} AND id = ${keyId}`,
  );
}

/** Stores the successor of a key and the new expiry of the key. */
export async function replaceKey(
  db: Querier,
  { tenantId, keyId }: KeyReference,
  { successorId, expiresAt }: { successorId: string; expiresAt: string },
): Promise<void> {
  await db.run(sql`
    UPDATE tenant_keys SET successor_id = ${successorId}, expires_at = ${expiresAt}
    WHERE tenant_id = ${tenantId} AND id = ${keyId}`);
}

/** Finds the rate limits of the plan of a tenant's workspace. */
export function findPlan(
  db: Querier,
  tenantId: string,
): Promise<{ perMinute: number; perHour: number } | undefined> {
  return db.row(sql`
    SELECT workspace.requests_per_minute AS "perMinute", workspace.requests_per_hour AS "perHour"
    FROM tenants tenant JOIN workspaces workspace ON workspace.id = tenant.workspace_id
    WHERE tenant.id = ${tenantId}`);
}

/** Finds the subscriber workspace that pays for the reads of a key. Returns null if the key's own workspace pays. */
export async function findPayer(db: Querier, { tenantId, keyId }: KeyReference): Promise<string | null> {
  const row = await db.row<{ payerId: string | null }>(sql`
    SELECT subscriber_workspace_id AS "payerId" FROM tenant_keys WHERE tenant_id = ${tenantId} AND id = ${keyId}`);
  return row?.payerId ?? null;
}
