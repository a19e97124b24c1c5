import type { Querier } from '../../../../database/database.ts';
import { sql } from '../../../../database/sql.ts';

/** The job of an attempt. It is stale if the delivery has a later turn. */
export interface DeliveryJob {
  deliveryId: string;
  turn: number;
}

/** An attempt that this worker owns until its lease expires. */
export interface StartedAttempt {
  id: string;
  webhookId: string;
  number: number;
  body: string;
  url: string;
  secret: Buffer;
  /** The secrets of earlier rotations whose overlap has not ended. The delivery has a signature by each of them too. */
  earlierSecrets: Buffer[];
}

/**
 * Starts an attempt. Returns undefined if the job is stale, if the webhook is disabled, or if another worker owns an attempt.
 */
export function startAttempt(
  db: Querier,
  { deliveryId, turn }: DeliveryJob,
  withinSeconds: number,
): Promise<StartedAttempt | undefined> {
  return db.row(sql`
    WITH begun AS (
      UPDATE webhook_deliveries delivery
      SET attempts = delivery.attempts + 1, last_attempt_at = now(),
          attempting_until = now() + make_interval(secs => ${withinSeconds})
      FROM webhooks webhook
      WHERE delivery.id = ${deliveryId} AND delivery.turn = ${turn} AND delivery.status = 'pending'
        AND (delivery.attempting_until IS NULL OR delivery.attempting_until <= now())
        AND webhook.id = delivery.webhook_id AND webhook.disabled_at IS NULL
      RETURNING delivery.id, delivery.webhook_id AS "webhookId", delivery.attempts AS number,
                delivery.body, webhook.url, webhook.secret,
                ARRAY(SELECT old FROM unnest(webhook.earlier_secrets, webhook.earlier_secrets_until) AS earlier (old, ends_at)
                      WHERE ends_at > now()) AS "earlierSecrets"
    ), noted AS (
      INSERT INTO webhook_attempts (delivery_id, number) SELECT id, number FROM begun
    )
    SELECT * FROM begun`);
}

/**
 * Returns whether an attempt of this job is running or may start. Waits for a transaction that changes the webhook: if it enables the
 * webhook, it may not have seen the delivery.
 */
export async function isJobNeeded(db: Querier, { deliveryId, turn }: DeliveryJob): Promise<boolean> {
  const row = await db.row<{ isNeeded: boolean }>(sql`
    SELECT webhook.disabled_at IS NULL OR coalesce(delivery.attempting_until > now(), false) AS "isNeeded"
    FROM webhook_deliveries delivery JOIN webhooks webhook ON webhook.id = delivery.webhook_id
    WHERE delivery.id = ${deliveryId} AND delivery.turn = ${turn} AND delivery.status = 'pending'
    FOR SHARE OF webhook`);
  return row?.isNeeded ?? false;
}

/** The outcome of an attempt. */
export interface AttemptOutcome {
  durationMs: number;
  statusCode: number | null;
  /** Null if the delivery succeeded. */
  error: string | null;
  answer: string | null;
}

/** Identifies an attempt. If a later attempt has started, its outcome does not change the delivery. */
type AttemptRef = Pick<StartedAttempt, 'id' | 'number' | 'webhookId'>;

const recordAttempt = ({ id, number }: AttemptRef, outcome: AttemptOutcome) => sql`
  recorded AS (
    UPDATE webhook_attempts
    SET duration_ms = ${outcome.durationMs}, status_code = ${outcome.statusCode}, error = ${outcome.error},
        answer = ${outcome.answer}
    WHERE delivery_id = ${id} AND number = ${number}
  )`;

/** Records a success. Returns whether the webhook still counts as failing. */
export function recordSuccess(db: Querier, attempt: AttemptRef, outcome: AttemptOutcome): Promise<boolean> {
  return db.exists(sql`
    WITH ${recordAttempt(attempt, outcome)},
    delivered AS (
      UPDATE webhook_deliveries
      SET status = 'delivered', next_attempt_at = NULL, attempting_until = NULL,
          last_status_code = ${outcome.statusCode}, last_error = NULL
      WHERE id = ${attempt.id} AND attempts = ${attempt.number} AND status = 'pending')
    SELECT FROM webhooks WHERE id = ${attempt.webhookId} AND failing_since IS NOT NULL`);
}

/** Locks a delivery and returns its failures so far: none if it was redelivered during the attempt, or was deleted. */
export async function lockFailures(db: Querier, deliveryId: string): Promise<number> {
  const row = await db.row<{ failures: number }>(sql`
    SELECT failures FROM webhook_deliveries WHERE id = ${deliveryId} FOR NO KEY UPDATE`);
  return row?.failures ?? 0;
}

/** Records a failure. Returns the next turn, or undefined if this was the last attempt or a later attempt has started. */
export async function recordFailure(
  db: Querier,
  attempt: AttemptRef,
  outcome: AttemptOutcome,
  waitSeconds: number | undefined,
): Promise<{ turn: number; startsAt: string } | undefined> {
  const wait = waitSeconds ?? null;
  const row = await db.row<{ turn: number; startsAt: string | null }>(sql`
    WITH ${recordAttempt(attempt, outcome)}
    UPDATE webhook_deliveries
    SET status = CASE WHEN ${wait}::float8 IS NULL THEN 'failed' ELSE 'pending' END, turn = turn + 1,
        failures = failures + 1, attempting_until = NULL, next_attempt_at = now() + make_interval(secs => ${wait}::float8),
        last_status_code = ${outcome.statusCode}, last_error = ${outcome.error}
    WHERE id = ${attempt.id} AND attempts = ${attempt.number} AND status = 'pending'
    RETURNING turn, next_attempt_at AS "startsAt"`);
  return row?.startsAt ? { turn: row.turn, startsAt: row.startsAt } : undefined;
}

/** An attempt as the console shows it. */
export interface Attempt {
  number: number;
  startedAt: string;
  durationMs: number | null;
  statusCode: number | null;
  error: string | null;
  answer: string | null;
}

/** The API lists at most this many attempts, because a delivery can be redelivered any number of times. */
export const MAX_LISTED_ATTEMPTS = 100;

/** Returns the last {@link MAX_LISTED_ATTEMPTS} attempts of a delivery, oldest first. */
export function listAttempts(db: Querier, deliveryId: string): Promise<Attempt[]> {
  return db.rows(sql`
    SELECT number, started_at AS "startedAt", duration_ms AS "durationMs", status_code AS "statusCode", error, answer
    FROM (
      SELECT * FROM webhook_attempts WHERE delivery_id = ${deliveryId} ORDER BY number DESC LIMIT ${MAX_LISTED_ATTEMPTS}) attempt
    ORDER BY number`);
}
