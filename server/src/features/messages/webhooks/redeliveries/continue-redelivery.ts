import type { Database, Querier } from '../../../../database/database.ts';
import { secondsFromNow } from '../../../../core/timestamps.ts';
import type { Jobs, Queue } from '../../../../jobs/queue.ts';
import { restart } from '../deliveries/redeliver.ts';
import {
  lockWebhookOf,
  readOutcomes,
  readStep,
  recordStep,
  type RedeliveryStatus,
  type RedeliveryStep,
  type UnfinishedRedelivery,
} from './queries.ts';

/** The queue of steps. Each step creates the job of the next one. Its retries cover crashed workers and database errors only. */
export const redeliveryQueue: Queue<RedeliveryStep> = {
  name: 'webhook-redelivery',
  retryDelay: 2,
  retryDelayMax: 60,
  retryLimit: 100_000,
  expireInSeconds: 60,
};

/**
 * How many deliveries of one redelivery wait or are attempted at once. New events of the webhook wait behind at most as many. At
 * 8 attempts at once, this is enough for a second with a receiver that answers in 80 ms.
 */
const MAX_IN_PROGRESS = 100;
const NEXT_STEP_SECONDS = 1;
/** A receiver that does not respond ends no attempt for up to 15 seconds. */
const IDLE_STEP_SECONDS = 5;

export async function addRedeliveryJob(
  jobs: Jobs,
  transaction: Querier,
  { webhookId, startsAt, ...data }: RedeliveryStep & { webhookId: string; startsAt?: string },
): Promise<void> {
  await jobs.addAll(transaction, redeliveryQueue, [{ data, group: webhookId, startsAt }]);
}

/**
 * Does one step: counts the attempts that have ended, and starts as many further deliveries. A step, its deliveries and the job
 * of the next step are one transaction, so a crash loses none and starts none twice. Stops if the webhook is disabled.
 */
export async function continueRedelivery(
  { database, jobs }: { database: Database; jobs: Jobs },
  job: RedeliveryStep,
): Promise<void> {
  const { redeliveryId } = job;
  await database.forPlatform().transaction(async (transaction) => {
    const webhook = await lockWebhookOf(transaction, redeliveryId);
    const current = webhook && (await readStep(transaction, job, MAX_IN_PROGRESS));
    if (!current) return;
    const outcomes = await readOutcomes(transaction, webhook.id, current.inProgress);
    const ended = current.inProgress.length - outcomes.inProgress.length;
    const wanted =
      current.status === 'running' && webhook.enabled
        ? current.next.slice(0, MAX_IN_PROGRESS - outcomes.inProgress.length)
        : [];
    if (wanted.length > 0)
      await restart(jobs, transaction, {
        webhookId: webhook.id,
        deliveryIds: wanted,
        since: current.createdAt,
      });
    const inProgress = [...outcomes.inProgress, ...wanted];
    const status = statusAfter(current, webhook.enabled, wanted.length, inProgress.length);
    const step = await recordStep(transaction, redeliveryId, {
      ...outcomes,
      status,
      started: wanted.length,
      inProgress,
      skipped: ended - outcomes.delivered - outcomes.failed,
    });
    // The deliveries in progress of a cancelled redelivery are still counted. Those of a disabled webhook may wait for days.
    const isOver = status !== 'running' && (inProgress.length === 0 || !webhook.enabled);
    if (isOver) return;
    const startsAt = secondsFromNow(ended + wanted.length > 0 ? NEXT_STEP_SECONDS : IDLE_STEP_SECONDS);
    await addRedeliveryJob(jobs, transaction, { webhookId: webhook.id, redeliveryId, step, startsAt });
  });
}

function statusAfter(
  { status, started, total }: UnfinishedRedelivery,
  isEnabled: boolean,
  more: number,
  inProgress: number,
): RedeliveryStatus {
  if (status !== 'running') return status;
  if (started + more === total && inProgress === 0) return 'completed';
  return isEnabled ? 'running' : 'stopped';
}
