import type { Database, Querier, Scope } from '../../../database/database.ts';
import type { Jobs } from '../../../jobs/queue.ts';
import { OutboundError, type OutboundClient } from '../../../outbound/http-client.ts';
import type { Vault } from '../../../security/vault.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { notifyPlatformAdmins, notifyTeam } from '../notifications/index.ts';
import {
  beginAttempt,
  isBeingAttempted,
  noteFailure,
  noteSuccess,
  type BegunAttempt,
  type Outcome,
} from './delivery-queries.ts';
import { addDeliveryJobs } from './delivery-queue.ts';
import { unsealSecret } from './endpoint-secret.ts';
import { disableEndpoint, noteFailing, type Endpoint } from './queries.ts';
import { waitAfter } from './retry-schedule.ts';
import { signedHeaders } from './sign.ts';

export interface AttemptServices {
  database: Database;
  vault: Vault;
  jobs: Jobs;
  outbound: OutboundClient;
}

/** A whole attempt, from the first packet to the last byte that is read (contract §8). */
const WITHIN_MS = 15_000;
/** Meanwhile no other worker makes one; some seconds more, to write its outcome down. */
const leaseSeconds = 25;
/** Of the answer's body, for whoever looks for what went wrong. */
const KEPT_BYTES = 1024;
/** Nothing but failures for so long disables an endpoint. */
const GIVEN_UP_AFTER_SECONDS = 5 * 24 * 60 * 60;

/**
 * Makes one attempt at a delivery, the worker's side of it. Where its process dies, the queue brings the job back, and the
 * delivery is sent again under the same webhook-id. Throws where another worker makes the attempt now: it may have died.
 */
export async function attemptDelivery(
  services: AttemptServices,
  job: { deliveryId: string; turn: number },
): Promise<void> {
  const database = services.database.forPlatform();
  const attempt = await beginAttempt(database, job, leaseSeconds);
  if (!attempt) {
    if (await isBeingAttempted(database, job)) throw new Error('Another worker attempts this delivery.');
    return;
  }
  const { retryAfter, ...outcome } = await send(services, attempt);
  if (outcome.error === null) await succeed(database, attempt, outcome);
  else await fail(services, attempt, outcome, retryAfter);
}

async function send(
  { vault, outbound }: AttemptServices,
  { id, endpointId, body, url, secret, previousSecret }: BegunAttempt,
): Promise<Outcome & { retryAfter?: string | undefined }> {
  const secrets = [secret, ...(previousSecret ? [previousSecret] : [])];
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Guildhall-Webhooks',
    accept: '*/*',
    ...signedHeaders(
      id,
      Math.floor(Date.now() / 1000),
      body,
      secrets.map((sealed) => unsealSecret(vault, endpointId, sealed)),
    ),
  };
  const since = performance.now();
  const took = () => Math.round(performance.now() - since);
  try {
    const answer = await outbound.send(url, {
      method: 'POST',
      headers,
      body,
      withinMs: WITHIN_MS,
      readUpTo: KEPT_BYTES,
    });
    const isDelivered = answer.status >= 200 && answer.status < 300;
    const retryAfter = answer.headers['retry-after'];
    return {
      durationMs: took(),
      statusCode: answer.status,
      error: isDelivered ? null : `The endpoint answered ${answer.status}.`,
      // PostgreSQL keeps no NUL in a text.
      answer: answer.text.replaceAll('\0', '\uFFFD'),
      retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { durationMs: took(), statusCode: null, error: error.message, answer: null };
  }
}

/** The endpoint is written to before the delivery, here as everywhere: so no two can wait for each other. */
async function succeed(database: Scope, attempt: BegunAttempt, outcome: Outcome): Promise<void> {
  if (!attempt.isEndpointFailing) return noteSuccess(database, attempt, outcome);
  await database.transaction(async (transaction) => {
    await noteFailing(transaction, attempt.endpointId, false);
    await noteSuccess(transaction, attempt, outcome);
  });
}

async function fail(
  services: AttemptServices,
  attempt: BegunAttempt,
  outcome: Outcome,
  retryAfter: string | undefined,
): Promise<void> {
  const { endpointId } = attempt;
  const reason = outcome.statusCode === 410 ? 'gone' : 'failing';
  await services.database.forPlatform().transaction(async (transaction) => {
    if (!attempt.isEndpointFailing) await noteFailing(transaction, endpointId, true);
    const disabled = await disableEndpoint(transaction, endpointId, reason, GIVEN_UP_AFTER_SECONDS);
    const wait = waitAfter(attempt.failures + 1, retryAfter);
    const next = await noteFailure(transaction, attempt, outcome, wait);
    if (next) await addDeliveryJobs(services.jobs, transaction, [{ id: attempt.id, endpointId, ...next }]);
    if (disabled) await tellDisabled(services, transaction, disabled);
  });
}

/** Tells whoever can mend it. An address may hold a token in its path or query: its host is enough to know it by. */
async function tellDisabled(
  services: AttemptServices,
  transaction: Querier,
  { id, workspaceId, tenantId, url, disabledReason }: Endpoint,
): Promise<void> {
  const { host } = new URL(url);
  const why = disabledReason === 'gone' ? 'it answered 410 (Gone)' : 'it did nothing but fail for five days';
  const notice = {
    type: 'webhook.disabled',
    title: `The webhook to ${host} was disabled`,
    subject: 'A webhook was disabled',
    text: `Guildhall sends nothing more to the webhook ${id}, because ${why}. Enable it again once it is mended: it then goes on with what waits.`,
    data: { webhookId: id, reason: disabledReason },
    ...(tenantId && { tenantId }),
  };
  if (workspaceId) await notifyTeam(services, transaction, workspaceId, notice);
  else await notifyPlatformAdmins(services, transaction, notice);
  await auditTrail(transaction, [
    {
      actor: { kind: 'system', id: null },
      action: 'webhook.disabled',
      workspaceId,
      targetId: id,
      details: { reason: disabledReason },
    },
  ]);
}
