import type { Database, Querier, Scope } from '../../../database/database.ts';
import { sql, type Sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';
import type { EventType, PublishedEventType } from './event-types.ts';

/**
 * The enabled endpoints that want an event. They cannot be deleted until the transaction ends, so that deliveries to them can
 * be written.
 */
export function listSubscribers(
  db: Querier,
  { type, workspaceId, tenantId = null }: { type: EventType; workspaceId: string; tenantId?: string | null },
): Promise<{ id: string }[]> {
  return db.rows(sql`
    SELECT id FROM guildhall_webhook_subscribers(${type}, ${workspaceId}, ${tenantId}) AS id`);
}

/** Whose webhooks: a workspace's, or (null) the deployment's. */
export interface WebhookPlace {
  workspaceId: string | null;
}

/** The scope in which the webhooks of a place are visible. */
export function scopeOf(database: Database, { workspaceId }: WebhookPlace): Scope {
  return workspaceId === null ? database.forPlatform() : database.forWorkspace(workspaceId);
}

/** Names one endpoint, which must be of the place of the path. */
export interface EndpointPlace extends WebhookPlace {
  webhookId: string;
}

/** An endpoint as its administrators see it. */
export interface Endpoint {
  id: string;
  workspaceId: string | null;
  tenantId: string | null;
  url: string;
  description: string | null;
  eventTypes: PublishedEventType[] | null;
  enabled: boolean;
  disabledAt: string | null;
  disabledReason: DisabledReason | null;
  failingSince: string | null;
  previousSecretUntil: string | null;
  createdAt: string;
}

export type DisabledReason = 'by_hand' | 'gone' | 'failing';

const columns = sql`
  id, workspace_id AS "workspaceId", tenant_id AS "tenantId", url, description, event_types AS "eventTypes",
  disabled_at IS NULL AS enabled, disabled_at AS "disabledAt", disabled_reason AS "disabledReason",
  failing_since AS "failingSince", created_at AS "createdAt",
  CASE WHEN previous_secret_until > now() THEN previous_secret_until END AS "previousSecretUntil"`;

const ofPlace = ({ workspaceId }: WebhookPlace): Sql =>
  workspaceId === null ? sql`workspace_id IS NULL` : sql`workspace_id = ${workspaceId}`;

/** The oldest first. */
export function listEndpoints(
  db: Querier,
  place: WebhookPlace,
  { limit, offset }: PageRequest,
): Promise<Endpoint[]> {
  return db.rows(sql`
    SELECT ${columns} FROM webhook_endpoints WHERE ${ofPlace(place)}
    ORDER BY created_at, id LIMIT ${limit} OFFSET ${offset}`);
}

export function countEndpoints(db: Querier, place: WebhookPlace): Promise<number> {
  return db.count(sql`SELECT count(*) FROM webhook_endpoints WHERE ${ofPlace(place)}`);
}

/** Until the transaction ends nobody else adds an endpoint in this place. */
export async function lockEndpointsOf(db: Querier, { workspaceId }: WebhookPlace): Promise<void> {
  await db.rows(sql`SELECT pg_advisory_xact_lock(7118020, hashtext(${workspaceId ?? ''}))`);
}

export function findEndpoint(
  db: Querier,
  { webhookId, ...place }: EndpointPlace,
): Promise<Endpoint | undefined> {
  return db.row(sql`SELECT ${columns} FROM webhook_endpoints WHERE id = ${webhookId} AND ${ofPlace(place)}`);
}

/** An endpoint, its row locked until the transaction ends. Events can be published to it all the same. */
export function lockEndpoint(
  db: Querier,
  { webhookId, ...place }: EndpointPlace,
): Promise<Endpoint | undefined> {
  return db.row(sql`
    SELECT ${columns} FROM webhook_endpoints WHERE id = ${webhookId} AND ${ofPlace(place)}
    FOR NO KEY UPDATE`);
}

/** What may be said of an endpoint when it is made, and changed later. */
export interface EndpointTraits {
  url: string;
  description: string | null;
  eventTypes: PublishedEventType[] | null;
  enabled: boolean;
}

export function insertEndpoint(
  db: Querier,
  place: EndpointPlace & { tenantId: string | null },
  secret: Buffer,
  { url, description, eventTypes }: Omit<EndpointTraits, 'enabled'>,
): Promise<Endpoint | undefined> {
  return db.row(sql`
    INSERT INTO webhook_endpoints (id, workspace_id, tenant_id, url, description, event_types, secret)
    VALUES (${place.webhookId}, ${place.workspaceId}, ${place.tenantId}, ${url}, ${description}, ${eventTypes}, ${secret})
    RETURNING ${columns}`);
}

/** Enabled again, or at a new address, it counts as never having failed. */
export function updateEndpoint(
  db: Querier,
  webhookId: string,
  { url, description, eventTypes, enabled }: EndpointTraits,
): Promise<Endpoint | undefined> {
  return db.row(sql`
    UPDATE webhook_endpoints
    SET url = ${url}, description = ${description}, event_types = ${eventTypes},
        disabled_at = CASE WHEN ${enabled}::boolean THEN NULL ELSE coalesce(disabled_at, now()) END,
        disabled_reason = CASE WHEN ${enabled}::boolean THEN NULL ELSE coalesce(disabled_reason, 'by_hand') END,
        failing_since =
          CASE WHEN url = ${url} AND (disabled_at IS NULL OR NOT ${enabled}::boolean) THEN failing_since END
    WHERE id = ${webhookId}
    RETURNING ${columns}`);
}

/** Puts a secret in the place of the present one, which signs beside it until the overlap is over. */
export function replaceSecret(
  db: Querier,
  webhookId: string,
  secret: Buffer,
  overlapSeconds: number,
): Promise<Endpoint | undefined> {
  return db.row(sql`
    UPDATE webhook_endpoints
    SET previous_secret = CASE WHEN ${overlapSeconds}::integer > 0 THEN secret END,
        previous_secret_until =
          CASE WHEN ${overlapSeconds}::integer > 0 THEN now() + make_interval(secs => ${overlapSeconds}::integer) END,
        secret = ${secret}
    WHERE id = ${webhookId}
    RETURNING ${columns}`);
}

/** Its deliveries go with it. */
export async function deleteEndpointRow(db: Querier, webhookId: string): Promise<void> {
  await db.run(sql`DELETE FROM webhook_endpoints WHERE id = ${webhookId}`);
}

/** Since when an endpoint has done nothing but fail: known at its first failure, and forgotten at the next success. */
export async function noteFailing(db: Querier, endpointId: string, isFailing: boolean): Promise<void> {
  await db.run(sql`
    UPDATE webhook_endpoints SET failing_since = CASE WHEN ${isFailing}::boolean THEN now() END
    WHERE id = ${endpointId} AND (failing_since IS NULL) = ${isFailing}::boolean`);
}

/** Disables an endpoint that asked for it, or has failed for long enough: undefined where it has not, or is disabled. */
export function disableEndpoint(
  db: Querier,
  endpointId: string,
  reason: 'gone' | 'failing',
  afterSeconds: number,
): Promise<Endpoint | undefined> {
  return db.row(sql`
    UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = ${reason}
    WHERE id = ${endpointId} AND disabled_at IS NULL
      AND (${reason} = 'gone' OR failing_since < now() - make_interval(secs => ${afterSeconds}::integer))
    RETURNING ${columns}`);
}

/** The workspaces of endpoints, with all other endpoints of the same workspaces. Those of the deployment are one more owner. */
export function listOwners(db: Querier, endpointIds: string[]): Promise<{ group: string; owner: string }[]> {
  return db.rows(sql`
    WITH asked AS (SELECT DISTINCT workspace_id FROM webhook_endpoints WHERE id = ANY(${endpointIds}::uuid[]))
    SELECT id AS "group", workspace_id::text AS owner FROM webhook_endpoints
    WHERE workspace_id IN (SELECT workspace_id FROM asked)
    UNION ALL
    SELECT id, 'deployment' FROM webhook_endpoints
    WHERE workspace_id IS NULL AND EXISTS (SELECT FROM asked WHERE workspace_id IS NULL)`);
}
