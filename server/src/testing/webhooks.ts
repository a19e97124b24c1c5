import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { newId } from '../core/ids.ts';
import { eventually } from './eventually.ts';
import type { Caller } from './http-client.ts';
import { NOTIFY_WORKERS } from './notify-workers.ts';
import type { TestApp } from './test-app.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

const WITHIN_MS = 90_000;
const POLL_MS = 50;

/** Creates a webhook under `path`, and returns its calls as this caller. */
export async function arrangeWebhook(
  { http }: Pick<TestApp, 'http'>,
  path: string,
  caller: Caller,
  body: { url: string; eventTypes?: string[] },
) {
  const answer = await http.post(path, body, caller);
  assert.equal(answer.status, 201, answer.text);
  const { id, secret } = answer.body as { id: string; secret: string };
  const at = `${path}/${id}`;
  const call = async (method: string, rest: string, sent?: object) => {
    const json = sent && JSON.stringify(sent);
    const { status, body: answered, text } = await http.raw(method, at + rest, json, caller);
    assert.ok(status < 300, text);
    return answered;
  };
  return {
    id,
    secret,
    read: () => call('GET', ''),
    change: (change: object) => call('PATCH', '', change),
    delete: () => call('DELETE', ''),
    rotate: async (overlapSeconds: number): Promise<string> =>
      (await call('POST', '/rotate-secret', { overlapSeconds })).secret,
    /** Sends a test delivery, and returns its id. */
    test: async (): Promise<string> => (await call('POST', '/test')).id,
    delivery: (deliveryId: string) => call('GET', `/deliveries/${deliveryId}`),
    count: async (status: string): Promise<number> =>
      (await call('GET', `/deliveries?status=${status}`)).totalCount,
    redeliver: (deliveryId: string) =>
      http.post(`${at}/deliveries/${deliveryId}/redeliver`, undefined, caller),
    /** Waits until a delivery has these values. */
    becomes: (deliveryId: string, wanted: Record<string, unknown>) =>
      untilItHas(() => call('GET', `/deliveries/${deliveryId}`), wanted),
    /** Requests a redelivery of many. */
    requestRedelivery: (body: unknown, by = caller) => http.post(`${at}/redeliveries`, body, by),
    /** Starts a redelivery of many, and returns it. */
    startRedelivery: (body: object = { status: 'failed' }) => call('POST', '/redeliveries', body),
    redelivery: (redeliveryId: string) => call('GET', `/redeliveries/${redeliveryId}`),
    cancelRedelivery: (redeliveryId: string) => call('POST', `/redeliveries/${redeliveryId}/cancel`),
    /** Waits until a redelivery has these values. */
    redeliveryBecomes: (redeliveryId: string, wanted: Record<string, unknown>) =>
      untilItHas(() => call('GET', `/redeliveries/${redeliveryId}`), wanted),
  };
}

/** Throws if nothing changes for 90 seconds. On a busy machine, hundreds of deliveries take longer. */
async function untilItHas(
  read: () => Promise<Record<string, unknown>>,
  wanted: Record<string, unknown>,
): Promise<void> {
  let found = await read();
  let changedAt = Date.now();
  while (Object.entries(wanted).some(([name, value]) => found[name] !== value)) {
    if (Date.now() - changedAt > WITHIN_MS)
      throw new Error(`Nothing changes any more: ${JSON.stringify(found)}`);
    await sleep(POLL_MS);
    const before = found;
    found = await read();
    if (!isDeepStrictEqual(found, before)) changedAt = Date.now();
  }
}

/** An event of a workspace for its webhooks. */
export function usageWarning(workspaceId: string) {
  const [periodStart, periodEnd] = ['2026-05-01T00:00:00.000Z', '2026-06-01T00:00:00.000Z'];
  const data = { workspaceId, percent: 90, used: 900_000, limit: 1_000_000, periodStart, periodEnd };
  return { type: 'usage.warning', data } as const;
}

/** Writes deliveries that failed in the past. Their ids are in the order of the numbers in their bodies. Returns the ids. */
export async function arrangeDeliveries(
  { owner }: Pick<TestApp, 'owner'>,
  webhookId: string,
  count: number,
): Promise<string[]> {
  const random = randomBytes(3).toString('hex');
  const prefix = `${newId().slice(0, 14)}7${random.slice(0, 3)}-8${random.slice(3)}-`;
  const { rows } = await owner.query(
    `INSERT INTO webhook_deliveries
       (id, webhook_id, event_type, body, status, attempts, failures, next_attempt_at, last_attempt_at, last_status_code)
     SELECT ($3 || lpad(to_hex(number), 12, '0'))::uuid, $1, 'usage.warning',
            '{"data":{"number":' || number || '}}', 'failed', 8, 8, NULL, now(), 500
     FROM generate_series(1, $2::int) number RETURNING id`,
    [webhookId, count, prefix],
  );
  return rows.map(({ id }) => id);
}

/** Starts the last attempt of a new delivery. Returns its id, and a function that lets the attempt fail. */
export async function holdLastAttempt(
  app: Pick<TestApp, 'owner'>,
  webhook: Awaited<ReturnType<typeof arrangeWebhook>>,
  receiver: WebhookReceiver,
): Promise<{ id: string; fail: () => void }> {
  receiver.answer = (response) => response.writeHead(500).end();
  const id = await webhook.test();
  await webhook.becomes(id, { attempts: 1, lastStatusCode: 500 });
  await app.owner.query('UPDATE webhook_deliveries SET failures = 7 WHERE id = $1', [id]);
  const held: ServerResponse[] = [];
  receiver.answer = (response) => held.push(response);
  await hurryDeliveries(app, id);
  await eventually(() => held.length === 1);
  return { id, fail: () => void held[0]!.writeHead(500).end() };
}

/** Makes the next attempts of one or all deliveries due now. Returns how many. */
export async function hurryDeliveries(
  { owner }: Pick<TestApp, 'owner'>,
  deliveryId?: string,
): Promise<number> {
  const { rowCount } = await owner.query(
    `UPDATE pgboss.job SET start_after = now()
     WHERE name = 'webhook-delivery' AND state IN ('created', 'retry') AND coalesce(data->>'deliveryId' = $1, true)
     ${NOTIFY_WORKERS}`,
    [deliveryId],
  );
  return rowCount ?? 0;
}
