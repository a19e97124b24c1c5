import type { Querier } from '../../../../database/database.ts';
import { sql } from '../../../../database/sql.ts';
import type { PageRequest } from '../../../../core/page.ts';
import { matching, type DeliveryFilter } from '../deliveries/queries.ts';

export const redeliveryStatuses = ['running', 'completed', 'cancelled', 'stopped'] as const;
export type RedeliveryStatus = (typeof redeliveryStatuses)[number];

/** A redelivery as the console shows it. */
export interface Redelivery {
  id: string;
  status: RedeliveryStatus;
  total: number;
  delivered: number;
  failed: number;
  skipped: number;
  createdAt: string;
  endedAt: string | null;
}

const columns = sql`
  id, status, total, delivered, failed, skipped, created_at AS "createdAt", ended_at AS "endedAt"`;

/** Creates a redelivery of the deliveries that match now. It has ended already if there are none. */
export function insertRedelivery(
  db: Querier,
  { id, webhookId }: { id: string; webhookId: string },
  filter: DeliveryFilter,
): Promise<Redelivery> {
  return db.one(sql`
    INSERT INTO webhook_redeliveries (id, webhook_id, status, delivery_ids, total, ended_at)
    SELECT ${id}, ${webhookId}, CASE WHEN count(*) = 0 THEN 'completed' ELSE 'running' END,
           coalesce(array_agg(id ORDER BY id), '{}'), count(*), CASE WHEN count(*) = 0 THEN now() END
    FROM ${matching(webhookId, filter)}
    RETURNING ${columns}`);
}

/** Returns a page of redeliveries, newest first. */
export function listRedeliveries(
  db: Querier,
  webhookId: string,
  { limit, offset }: PageRequest,
): Promise<Redelivery[]> {
  return db.rows(sql`
    SELECT ${columns} FROM webhook_redeliveries WHERE webhook_id = ${webhookId}
    ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`);
}

export function countRedeliveries(db: Querier, webhookId: string): Promise<number> {
  return db.count(sql`SELECT count(*) FROM webhook_redeliveries WHERE webhook_id = ${webhookId}`);
}

export function findRedelivery(
  db: Querier,
  webhookId: string,
  redeliveryId: string,
): Promise<Redelivery | undefined> {
  return db.row(sql`
    SELECT ${columns} FROM webhook_redeliveries WHERE webhook_id = ${webhookId} AND id = ${redeliveryId}`);
}

export function isRedeliveryRunning(db: Querier, webhookId: string): Promise<boolean> {
  return db.exists(sql`
    SELECT FROM webhook_redeliveries WHERE webhook_id = ${webhookId} AND status = 'running'`);
}

/** Cancels a running redelivery. Returns undefined if it has ended. */
export function cancelRunning(
  db: Querier,
  webhookId: string,
  redeliveryId: string,
): Promise<Redelivery | undefined> {
  return db.row(sql`
    UPDATE webhook_redeliveries SET status = 'cancelled', ended_at = now(), delivery_ids = '{}'
    WHERE webhook_id = ${webhookId} AND id = ${redeliveryId} AND status = 'running'
    RETURNING ${columns}`);
}

/** Locks the webhook of a redelivery until the transaction ends. */
export function lockWebhookOf(
  db: Querier,
  redeliveryId: string,
): Promise<{ id: string; enabled: boolean } | undefined> {
  return db.row(sql`
    SELECT id, disabled_at IS NULL AS enabled FROM webhooks
    WHERE id = (SELECT webhook_id FROM webhook_redeliveries WHERE id = ${redeliveryId})
    FOR NO KEY UPDATE`);
}

/** A redelivery as the worker continues it. */
export interface UnfinishedRedelivery extends Pick<Redelivery, 'status' | 'total' | 'createdAt'> {
  started: number;
  inProgress: string[];
  /** The first of the deliveries that are not started. */
  next: string[];
}

/** The job of a step. */
export interface RedeliveryStep {
  redeliveryId: string;
  step: number;
}

/** Returns undefined for the job of an earlier step. */
export function readStep(
  db: Querier,
  { redeliveryId, step }: RedeliveryStep,
  atMost: number,
): Promise<UnfinishedRedelivery | undefined> {
  return db.row(sql`
    SELECT status, total, created_at AS "createdAt", started, in_progress AS "inProgress",
           delivery_ids[started + 1 : started + ${atMost}::integer] AS next
    FROM webhook_redeliveries WHERE id = ${redeliveryId} AND step = ${step}`);
}

/** Sorts deliveries by the outcome of the attempt since their start. Deliveries that were deleted are in none of the results. */
export function readOutcomes(
  db: Querier,
  webhookId: string,
  deliveryIds: string[],
): Promise<{ delivered: number; failed: number; inProgress: string[] }> {
  return db.one(sql`
    SELECT count(*) FILTER (WHERE status = 'delivered')::integer AS delivered,
           count(*) FILTER (WHERE status = 'failed' OR status = 'pending' AND failures > 0)::integer AS failed,
           coalesce(array_agg(id) FILTER (WHERE status = 'pending' AND failures = 0), '{}') AS "inProgress"
    FROM webhook_deliveries WHERE webhook_id = ${webhookId} AND id = ANY(${deliveryIds}::uuid[])`);
}

/** The result of a step of a redelivery. */
export interface StepResult extends Pick<Redelivery, 'status' | 'delivered' | 'failed' | 'skipped'> {
  started: number;
  inProgress: string[];
}

/** Records a step. Returns the next one. */
export async function recordStep(
  db: Querier,
  redeliveryId: string,
  { status, started, inProgress, delivered, failed, skipped }: StepResult,
): Promise<number> {
  const { step } = await db.one<{ step: number }>(sql`
    UPDATE webhook_redeliveries
    SET status = ${status}, started = started + ${started}, in_progress = ${inProgress}::uuid[],
        delivered = delivered + ${delivered}, failed = failed + ${failed}, skipped = skipped + ${skipped}, step = step + 1,
        ended_at = CASE WHEN ${status} <> 'running' THEN coalesce(ended_at, now()) END,
        delivery_ids = CASE WHEN ${status} = 'running' THEN delivery_ids ELSE '{}' END
    WHERE id = ${redeliveryId}
    RETURNING step`);
  return step;
}
