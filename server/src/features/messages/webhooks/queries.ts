import type { Database, Querier, Scope } from '../../../database/database.ts';
import { sql, type Sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';
import type { EventType, PublishedEventType } from './event-types.ts';

/**
 * Returns the enabled webhooks that subscribe to an event. The lock prevents their deletion until the transaction has written
 * the deliveries.
 */
export function listSubscribers(
  db: Querier,
  { type, workspaceId, tenantId = null }: { type: EventType; workspaceId: string; tenantId?: string | null },
): Promise<{ id: string }[]> {
  return db.rows(sql`
    SELECT id FROM guildhall_webhook_subscribers(${type}, ${workspaceId}, ${tenantId}) AS id`);
}

/** Returns the subscribers of an event in each of the tenants, as {@link listSubscribers} does for one. Runs in the platform scope. */
export function listSubscribersOfTenants(
  db: Querier,
  type: EventType,
  tenantIds: string[],
): Promise<{ tenantId: string; workspaceId: string; webhookId: string }[]> {
  return db.rows(sql`
    SELECT tenant.id AS "tenantId", tenant.workspace_id AS "workspaceId", webhook.id AS "webhookId"
    FROM unnest(${tenantIds}::uuid[]) wanted (id)
    CROSS JOIN LATERAL (SELECT id, workspace_id FROM tenants WHERE id = wanted.id OFFSET 0) tenant
    CROSS JOIN LATERAL guildhall_webhook_subscribers(${type}, tenant.workspace_id, tenant.id) AS webhook (id)`);
}

/** The owner of webhooks: a workspace, or the deployment (null). */
export interface WebhookOwner {
  workspaceId: string | null;
}

/** The scope of the database in which the webhooks of an owner are visible. */
export function scopeOfOwner(database: Database, { workspaceId }: WebhookOwner): Scope {
  return workspaceId === null ? database.forPlatform() : database.forWorkspace(workspaceId);
}

/** Identifies a webhook. It must belong to the workspace in the path. */
export interface WebhookRef extends WebhookOwner {
  webhookId: string;
}

export const disabledReasons = ['by_hand', 'gone', 'failing'] as const;

/** A webhook as its administrators see it. */
export interface Webhook {
  id: string;
  workspaceId: string | null;
  tenantId: string | null;
  url: string;
  description: string | null;
  eventTypes: PublishedEventType[] | null;
  enabled: boolean;
  disabledAt: string | null;
  disabledReason: (typeof disabledReasons)[number] | null;
  failingSince: string | null;
  previousSecretUntil: string | null;
  createdAt: string;
}

const columns = sql`
  id, workspace_id AS "workspaceId", tenant_id AS "tenantId", url, description, event_types AS "eventTypes",
  disabled_at IS NULL AS enabled, disabled_at AS "disabledAt", disabled_reason AS "disabledReason",
  failing_since AS "failingSince", created_at AS "createdAt",
  CASE WHEN earlier_secrets_until[1] > now() THEN earlier_secrets_until[1] END AS "previousSecretUntil"`;

const ownedBy = ({ workspaceId }: WebhookOwner): Sql =>
  workspaceId === null ? sql`workspace_id IS NULL` : sql`workspace_id = ${workspaceId}`;

/** Returns a page of webhooks, oldest first. */
export function listWebhooks(
  db: Querier,
  owner: WebhookOwner,
  { limit, offset }: PageRequest,
): Promise<Webhook[]> {
  return db.rows(sql`
    SELECT ${columns} FROM webhooks WHERE ${ownedBy(owner)}
    ORDER BY created_at, id LIMIT ${limit} OFFSET ${offset}`);
}

export function countWebhooks(db: Querier, owner: WebhookOwner): Promise<number> {
  return db.count(sql`SELECT count(*) FROM webhooks WHERE ${ownedBy(owner)}`);
}

export function findWebhook(db: Querier, { webhookId, ...owner }: WebhookRef): Promise<Webhook | undefined> {
  return db.row(sql`SELECT ${columns} FROM webhooks WHERE id = ${webhookId} AND ${ownedBy(owner)}`);
}

/** Locks a webhook until the transaction ends. Other transactions can still publish events to the webhook. */
export function lockWebhook(db: Querier, { webhookId, ...owner }: WebhookRef): Promise<Webhook | undefined> {
  return db.row(sql`
    SELECT ${columns} FROM webhooks WHERE id = ${webhookId} AND ${ownedBy(owner)}
    FOR NO KEY UPDATE`);
}

/** The settings of a webhook that can be changed. */
export type WebhookSettings = Pick<Webhook, 'url' | 'description' | 'eventTypes' | 'enabled'>;

export function insertWebhook(
  db: Querier,
  ref: WebhookRef & { tenantId: string | null },
  secret: Buffer,
  { url, description, eventTypes }: Omit<WebhookSettings, 'enabled'>,
): Promise<Webhook> {
  return db.one(sql`
    INSERT INTO webhooks (id, workspace_id, tenant_id, url, description, event_types, secret)
    VALUES (${ref.webhookId}, ${ref.workspaceId}, ${ref.tenantId}, ${url}, ${description}, ${eventTypes}, ${secret})
    RETURNING ${columns}`);
}

/** Updates a webhook. Resets the failure time if the webhook is enabled again or gets a new URL. */
export function updateWebhook(
  db: Querier,
  webhookId: string,
  { url, description, eventTypes, enabled }: WebhookSettings,
): Promise<Webhook> {
  return db.one(sql`
    UPDATE webhooks
    SET url = ${url}, description = ${description}, event_types = ${eventTypes},
        disabled_at = CASE WHEN ${enabled}::boolean THEN NULL ELSE coalesce(disabled_at, now()) END,
        disabled_reason = CASE WHEN ${enabled}::boolean THEN NULL ELSE coalesce(disabled_reason, 'by_hand') END,
        failing_since =
          CASE WHEN url = ${url} AND (disabled_at IS NULL OR NOT ${enabled}::boolean) THEN failing_since END
    WHERE id = ${webhookId}
    RETURNING ${columns}`);
}

/** Counts the earlier secrets of a webhook that still sign. */
export function countEarlierSecrets(db: Querier, webhookId: string): Promise<number> {
  return db.count(sql`
    SELECT count(*) FROM webhooks, unnest(earlier_secrets_until) ends_at WHERE id = ${webhookId} AND ends_at > now()`);
}

/** Replaces the secret. The current and all earlier secrets sign until their overlaps end. Without an overlap they end at once. */
export function replaceSecret(
  db: Querier,
  webhookId: string,
  secret: Buffer,
  overlapSeconds: number,
): Promise<Webhook> {
  return db.one(sql`
    UPDATE webhooks
    SET (earlier_secrets, earlier_secrets_until) = (
          SELECT coalesce(array_agg(old ORDER BY ends_at DESC), '{}'), coalesce(array_agg(ends_at ORDER BY ends_at DESC), '{}')
          FROM (SELECT secret, now() + make_interval(secs => ${overlapSeconds}::integer)
                UNION ALL SELECT * FROM unnest(earlier_secrets, earlier_secrets_until)) AS earlier (old, ends_at)
          WHERE ends_at > now() AND ${overlapSeconds}::integer > 0),
        secret = ${secret}
    WHERE id = ${webhookId}
    RETURNING ${columns}`);
}

/** Deletes a webhook. Foreign keys delete its redeliveries, and the deliveries that it still has. */
export async function deleteWebhookRow(db: Querier, webhookId: string): Promise<void> {
  await db.run(sql`DELETE FROM webhooks WHERE id = ${webhookId}`);
}

/** A failure after this long without one does not continue the earlier failures. A retry waits for at most one day. */
const FAILURES_APART_SECONDS = 2 * 24 * 60 * 60;

/** The webhook of an attempt, and the URL of its request. If the webhook has another URL now, the outcome says nothing about it. */
interface AttemptedUrl {
  webhookId: string;
  url: string;
}

/**
 * Stores a failure, and since when the webhook only fails. Failures of the same hour are stored once, so that parallel failures do not
 * wait for each other.
 */
export async function markFailing(db: Querier, { webhookId, url }: AttemptedUrl): Promise<void> {
  await db.run(sql`
    UPDATE webhooks
    SET failing_since = coalesce(
          CASE WHEN last_failed_at > now() - make_interval(secs => ${FAILURES_APART_SECONDS}::integer) THEN failing_since END,
          now()),
        last_failed_at = now()
    WHERE id = ${webhookId} AND url = ${url} AND (failing_since IS NULL OR last_failed_at < now() - interval '1 hour')`);
}

/** Clears the time since which a webhook only fails. */
export async function clearFailing(db: Querier, { webhookId, url }: AttemptedUrl): Promise<void> {
  await db.run(sql`
    UPDATE webhooks SET failing_since = NULL
    WHERE id = ${webhookId} AND url = ${url} AND failing_since IS NOT NULL`);
}

/** Disables a webhook that returned 410 or has failed for `afterSeconds`. Returns undefined if nothing changes. */
export function disableWebhook(
  db: Querier,
  { webhookId, url }: AttemptedUrl,
  reason: 'gone' | 'failing',
  afterSeconds: number,
): Promise<Webhook | undefined> {
  return db.row(sql`
    UPDATE webhooks SET disabled_at = now(), disabled_reason = ${reason}
    WHERE id = ${webhookId} AND url = ${url} AND disabled_at IS NULL
      AND (${reason} = 'gone' OR failing_since < now() - make_interval(secs => ${afterSeconds}::integer))
    RETURNING ${columns}`);
}

/**
 * Returns all webhooks of the owners of the given webhooks. The account that has owned a workspace for longest is the owner, because one
 * account can create many workspaces. The deployment counts as one owner.
 */
export function listOwners(db: Querier, webhookIds: string[]): Promise<{ group: string; owner: string }[]> {
  return db.rows(sql`
    SELECT webhook_id AS "group", coalesce(owner_id::text, 'deployment') AS owner
    FROM guildhall_owners_of_webhooks(${webhookIds}::uuid[])`);
}
