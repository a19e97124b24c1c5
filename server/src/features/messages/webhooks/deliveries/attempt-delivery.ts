import { Counter } from 'prom-client';
import { SYSTEM } from '../../../../core/author.ts';
import type { Database, Querier, Scope } from '../../../../database/database.ts';
import type { Jobs } from '../../../../jobs/queue.ts';
import { OutboundError, type OutboundClient } from '../../../../outbound/http-client.ts';
import type { Vault } from '../../../../security/vault.ts';
import { notifyPlatformAdmins, notifyTeam } from '../../notifications/index.ts';
import { auditWebhook } from '../audit-webhook.ts';
import { clearFailing, disableWebhook, markFailing, type Webhook } from '../queries.ts';
import { createSignatureHeaders, unsealSecret } from '../sign.ts';
import {
  startAttempt,
  isJobNeeded,
  lockFailures,
  recordFailure,
  recordSuccess,
  type DeliveryJob,
  type AttemptOutcome,
  type StartedAttempt,
} from './attempt-queries.ts';
import { addDeliveryJobs } from './queue.ts';
import { retryDelay } from './retry-schedule.ts';

export interface AttemptServices {
  database: Database;
  vault: Vault;
  jobs: Jobs;
  outbound: OutboundClient;
}

/** The time limit of a whole attempt, from the connection to the last byte of the response. */
const ATTEMPT_TIMEOUT_MS = 15_000;
/** How long a worker owns an attempt: the time limit, and some seconds to record the outcome. */
const LEASE_SECONDS = 25;
/** How much of the response body is stored for debugging. */
const MAX_RESPONSE_BYTES = 1024;
/** A webhook that only fails for this long is disabled. */
const DISABLE_AFTER_SECONDS = 5 * 24 * 60 * 60;

const deliveries = new Counter({
  name: 'guildhall_webhook_attempts_total',
  help: 'Attempts to deliver a webhook, by result: delivered, refused (the endpoint answered with another status), unreachable.',
  labelNames: ['result'] as const,
});
for (const result of ['delivered', 'refused', 'unreachable']) deliveries.inc({ result }, 0);

/**
 * Makes one attempt to send a delivery. Runs in the worker. If the process crashes, the queue retries the job, and the
 * delivery is sent again with the same `webhook-id`. Throws if another worker owns the attempt, so that the queue retries
 * the job in case that worker has crashed, and if the webhook was enabled after the attempt could not start.
 */
export async function attemptDelivery(services: AttemptServices, job: DeliveryJob): Promise<void> {
  const database = services.database.forPlatform();
  const attempt = await startAttempt(database, job, LEASE_SECONDS);
  if (!attempt) {
    if (await isJobNeeded(database, job))
      throw new Error('Another worker is attempting this delivery, or its webhook was just enabled.');
    return;
  }
  const outcome = await send(services, attempt);
  if (outcome.error === null) await succeed(database, attempt, outcome);
  else await fail(services, attempt, outcome);
  deliveries.inc({ result: resultOf(outcome) });
}

function resultOf({ error, statusCode }: AttemptOutcome): string {
  if (error === null) return 'delivered';
  return statusCode === null ? 'unreachable' : 'refused';
}

/** The outcome, and the header of the response that asks for a later attempt. */
interface SendResult extends AttemptOutcome {
  retryAfter?: string | undefined;
}

async function send(
  { vault, outbound }: AttemptServices,
  { id, webhookId, body, url, secret, earlierSecrets }: StartedAttempt,
): Promise<SendResult> {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Guildhall-Webhooks',
    accept: '*/*',
    ...createSignatureHeaders(
      id,
      Math.floor(Date.now() / 1000),
      body,
      [secret, ...earlierSecrets].map((sealed) => unsealSecret(vault, webhookId, sealed)),
    ),
  };
  const startedAt = performance.now();
  const elapsedMs = () => Math.round(performance.now() - startedAt);
  try {
    const response = await outbound.send(url, {
      method: 'POST',
      headers,
      body,
      withinMs: ATTEMPT_TIMEOUT_MS,
      readUpTo: MAX_RESPONSE_BYTES,
    });
    const isDelivered = response.status >= 200 && response.status < 300;
    const retryAfter = response.headers['retry-after'];
    return {
      durationMs: elapsedMs(),
      statusCode: response.status,
      error: isDelivered ? null : `The endpoint returned status ${response.status}.`,
      // PostgreSQL cannot store NUL characters in text.
      answer: response.text.replaceAll('\0', '\uFFFD'),
      retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { durationMs: elapsedMs(), statusCode: null, error: error.message, answer: null };
  }
}

/** Records a success. The webhook counts as failing if an earlier attempt failed, or another one while this one was running. */
async function succeed(database: Scope, attempt: StartedAttempt, outcome: AttemptOutcome): Promise<void> {
  const isFailing = await recordSuccess(database, attempt, outcome);
  if (isFailing) await clearFailing(database, attempt);
}

/** Records a failure, and disables a webhook that fails for too long. Writes to the webhook first, like all transactions, so they cannot deadlock. */
async function fail(services: AttemptServices, attempt: StartedAttempt, outcome: SendResult): Promise<void> {
  const { webhookId } = attempt;
  const reason = outcome.statusCode === 410 ? 'gone' : 'failing';
  await services.database.forPlatform().transaction(async (transaction) => {
    await markFailing(transaction, attempt);
    const disabled = await disableWebhook(transaction, attempt, reason, DISABLE_AFTER_SECONDS);
    const failures = await lockFailures(transaction, attempt.id);
    const wait = retryDelay(failures + 1, outcome.retryAfter);
    const next = await recordFailure(transaction, attempt, outcome, wait);
    if (next) await addDeliveryJobs(services.jobs, transaction, [{ id: attempt.id, webhookId, ...next }]);
    if (disabled) await notifyDisabled(services, transaction, disabled);
  });
}

/** Notifies the team. The text names the host only, because the path or query of the URL may contain a token. */
async function notifyDisabled(
  services: AttemptServices,
  transaction: Querier,
  { id, workspaceId, tenantId, url, disabledReason }: Webhook,
): Promise<void> {
  const { host } = new URL(url);
  const why =
    disabledReason === 'gone'
      ? 'the endpoint returned status 410 (Gone)'
      : 'all deliveries have failed for five days';
  const notice = {
    type: 'webhook.disabled',
    title: `The webhook to ${host} was disabled`,
    subject: 'A webhook was disabled',
    text: `Guildhall disabled the webhook ${id} because ${why}. Fix the endpoint, then enable the webhook again. It then receives the waiting deliveries.`,
    data: { webhookId: id, reason: disabledReason },
    ...(tenantId && { tenantId }),
  };
  if (workspaceId) await notifyTeam(services, transaction, workspaceId, notice);
  else await notifyPlatformAdmins(services, transaction, notice);
  await auditWebhook(transaction, SYSTEM, { workspaceId, webhookId: id }, 'webhook.disabled', {
    reason: disabledReason,
  });
}
