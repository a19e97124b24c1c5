import type { Querier } from '../../../../database/database.ts';
import { columnOf } from '../../../../database/column-of.ts';
import { join, sql, type Sql } from '../../../../database/sql.ts';
import { firstIdAt } from '../../../../core/ids.ts';
import { runSteps } from '../../../../core/concurrency/run-steps.ts';
import { createdWithin } from '../../../../database/created-within.ts';
import type { PageRequest } from '../../../../core/page.ts';
import { now } from '../../../../core/timestamps.ts';
import type { EventType } from '../event-types.ts';

/** Inserts deliveries, created now or at the time from which their ids follow. Those that exist do not change. */
export async function insertDeliveries(
  db: Querier,
  type: EventType,
  deliveries: { id: string; webhookId: string; body: string }[],
  createdAt?: string,
): Promise<void> {
  const column = columnOf(deliveries);
  await db.run(sql`
    INSERT INTO webhook_deliveries (id, webhook_id, event_type, body, created_at)
    SELECT id, webhook_id, ${type}, body, coalesce(${createdAt ?? null}::timestamptz, now())
    FROM unnest(${column('id')}::uuid[], ${column('webhookId')}::uuid[],
                ${column('body')}::text[]) AS delivery (id, webhook_id, body)
    ON CONFLICT DO NOTHING`);
}

/**
 * Gives all waiting deliveries of a webhook a new turn, and returns them. Deliveries that became due while the webhook was
 * disabled are due now. Deliveries with a running attempt do not change.
 */
export function rescheduleDeliveries(
  db: Querier,
  webhookId: string,
): Promise<{ id: string; webhookId: string; turn: number; startsAt: string }[]> {
  return db.rows(sql`
    UPDATE webhook_deliveries
    SET turn = turn + 1, next_attempt_at = greatest(next_attempt_at, now()), attempting_until = NULL
    WHERE webhook_id = ${webhookId} AND status = 'pending'
      AND (attempting_until IS NULL OR attempting_until <= now())
    RETURNING id, webhook_id AS "webhookId", turn, next_attempt_at AS "startsAt"`);
}

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;

/** A delivery as the console lists it. */
export interface Delivery {
  id: string;
  eventType: EventType;
  status: (typeof deliveryStatuses)[number];
  attempts: number;
  lastStatusCode: number | null;
  lastError: string | null;
  createdAt: string;
  lastAttemptAt: string | null;
  nextAttemptAt: string | null;
}

const columns = sql`
  id, event_type AS "eventType", status, attempts, last_status_code AS "lastStatusCode", last_error AS "lastError",
  created_at AS "createdAt", last_attempt_at AS "lastAttemptAt", next_attempt_at AS "nextAttemptAt"`;

/** Selects deliveries of a webhook. */
export interface DeliveryFilter {
  deliveryIds?: string[] | undefined;
  status?: Delivery['status'] | undefined;
  eventType?: EventType | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** A list has and counts at most this many deliveries. */
export const MAX_LISTED_DELIVERIES = 10_000;

/** The last {@link MAX_LISTED_DELIVERIES} deliveries of a time range, then filtered. So a rare status does not read all of them. */
export const matching = (
  webhookId: string,
  { deliveryIds, status, eventType, from, to }: DeliveryFilter,
): Sql => {
  const range = [sql`webhook_id = ${webhookId}`];
  if (deliveryIds !== undefined) range.push(sql`id = ANY(${deliveryIds}::uuid[])`);
  range.push(...createdWithin(sql`id`, sql`created_at`, { from, to }));
  const conditions = [sql`true`];
  if (status !== undefined) conditions.push(sql`status = ${status}`);
  if (eventType !== undefined) conditions.push(sql`event_type = ${eventType}`);
  return sql`(
      SELECT * FROM webhook_deliveries WHERE ${join(range, ' AND ')} ORDER BY id DESC LIMIT ${MAX_LISTED_DELIVERIES}) delivery
    WHERE ${join(conditions, ' AND ')}`;
};

/** Returns a page of deliveries, newest first. */
export function listDeliveries(
  db: Querier,
  webhookId: string,
  filter: DeliveryFilter,
  { limit, offset }: PageRequest,
): Promise<Delivery[]> {
  return db.rows(sql`
    SELECT ${columns} FROM ${matching(webhookId, filter)}
    ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`);
}

export function countDeliveries(db: Querier, webhookId: string, filter: DeliveryFilter): Promise<number> {
  return db.count(sql`SELECT count(*) FROM ${matching(webhookId, filter)}`);
}

export function findDelivery(
  db: Querier,
  webhookId: string,
  deliveryId: string,
): Promise<(Delivery & { body: string }) | undefined> {
  return db.row(sql`
    SELECT ${columns}, body FROM webhook_deliveries WHERE webhook_id = ${webhookId} AND id = ${deliveryId}`);
}

/** Lets the following statements of a transaction read the same state. It must be the first statement. */
export async function readFromOneSnapshot(db: Querier): Promise<void> {
  await db.run(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`);
}

/** Locks a delivery until the transaction ends, and returns whether an attempt is running. */
export function lockDelivery(
  db: Querier,
  webhookId: string,
  deliveryId: string,
): Promise<{ isAttemptRunning: boolean } | undefined> {
  return db.row(sql`
    SELECT coalesce(attempting_until > now(), false) AS "isAttemptRunning"
    FROM webhook_deliveries
    WHERE webhook_id = ${webhookId} AND id = ${deliveryId} FOR NO KEY UPDATE`);
}

/**
 * Makes deliveries due now and restarts their retry schedules. Deliveries that succeeded after `since` stay as they are. A
 * delivery that is due or has a running attempt keeps its turn, because it has a job. A new turn would make that job stale, so
 * repeated calls could postpone the attempt for ever.
 */
export function restartDeliveries(
  db: Querier,
  webhookId: string,
  deliveryIds: string[],
  since: string | null = null,
): Promise<{ id: string; webhookId: string; turn: number; needsJob: boolean }[]> {
  return db.rows(sql`
    WITH chosen AS (
      SELECT id, coalesce(attempting_until > now(), false)
                 OR status = 'pending' AND attempting_until IS NULL AND next_attempt_at <= now() AS has_job
      FROM webhook_deliveries
      WHERE webhook_id = ${webhookId} AND id = ANY(${deliveryIds}::uuid[])
        AND NOT coalesce(status = 'delivered' AND last_attempt_at >= ${since}, false)
      FOR NO KEY UPDATE
    )
    UPDATE webhook_deliveries delivery
    SET status = 'pending', failures = 0, turn = CASE WHEN has_job THEN turn ELSE turn + 1 END,
        next_attempt_at = CASE WHEN has_job THEN next_attempt_at ELSE now() END,
        attempting_until = CASE WHEN has_job THEN attempting_until END
    FROM chosen WHERE delivery.id = chosen.id
    RETURNING delivery.id, webhook_id AS "webhookId", turn, NOT has_job AS "needsJob"`);
}

/** How far {@link countRecentWebhooks} looks back. */
export const RECENT_MINUTES = 15;
export const MAX_RECENT_DELIVERIES = 1_000;

/**
 * Counts the webhooks of the recent deliveries, by the result of the last attempt that ended. Webhooks are counted and not deliveries,
 * because a single receiver may have most of the deliveries.
 */
export function countRecentWebhooks(
  db: Querier,
): Promise<{ delivered: number; refused: number; unreachable: number }> {
  return db.one(sql`
    SELECT (count(*) FILTER (WHERE last_error IS NULL))::int AS delivered,
           (count(*) FILTER (WHERE last_error IS NOT NULL AND last_status_code IS NOT NULL))::int AS refused,
           (count(*) FILTER (WHERE last_error IS NOT NULL AND last_status_code IS NULL))::int AS unreachable
    FROM (
      SELECT DISTINCT ON (webhook_id) last_error, last_status_code
      FROM (
        SELECT webhook_id, last_error, last_status_code, last_attempt_at
        FROM webhook_deliveries ORDER BY id DESC LIMIT ${MAX_RECENT_DELIVERIES}) delivery
      WHERE last_attempt_at > now() - make_interval(mins => ${RECENT_MINUTES})
        -- Both are null while the first attempt runs.
        AND (last_status_code IS NOT NULL OR last_error IS NOT NULL)
      ORDER BY webhook_id, last_attempt_at DESC) webhook`);
}

/** On a busy machine, 5,000 deliveries with 10,000 attempts took up to 2 seconds, and a statement is cancelled after 10. */
const DELETED_AT_ONCE = 5_000;

/** Deletes the deliveries that meet a condition, with their attempts, the oldest first. Each step is a transaction. */
const deleteInSteps = (db: Querier, condition: Sql): Promise<void> =>
  runSteps(DELETED_AT_ONCE, (limit) =>
    db.run(sql`
      DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
        SELECT id FROM webhook_deliveries WHERE ${condition} ORDER BY id LIMIT ${limit}))`),
  );

/** Deletes the deliveries of a webhook. */
export const deleteDeliveries = (db: Querier, webhookId: string): Promise<void> =>
  deleteInSteps(db, sql`webhook_id = ${webhookId}`);

const RETENTION_SECONDS = 30 * 24 * 60 * 60;

/** Deletes the deliveries and redeliveries that are older than 30 days, in any state. */
export async function deleteOldDeliveries(db: Querier): Promise<void> {
  // IDs are in the order of time, so that the primary key serves as the index. The clock of this process may be wrong, so the clock of the
  // database decides.
  const isOld = sql`
    id < ${firstIdAt(now(), -RETENTION_SECONDS)} AND created_at < now() - make_interval(secs => ${RETENTION_SECONDS})`;
  await deleteInSteps(db, isOld);
  await db.run(sql`DELETE FROM webhook_redeliveries WHERE ${isOld}`);
}
