import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { openDatabase } from '../../../../database/database.ts';
import { openJobs } from '../../../../jobs/queue.ts';
import {
  arrangeAccount,
  arrangePlatformAdmin,
  arrangeTenant,
  type TestTenant,
} from '../../../../testing/arrange.ts';
import { eventually } from '../../../../testing/eventually.ts';
import { startTestApp, startTestWorker } from '../../../../testing/test-app.ts';
import type { Caller } from '../../../../testing/http-client.ts';
import {
  arrangeWebhook as arrangeWebhookAt,
  hurryDeliveries,
  usageWarning,
} from '../../../../testing/webhooks.ts';
import {
  startWebhookReceiver,
  isSignedWith,
  verify,
  type WebhookReceiver,
} from '../../../../testing/webhook-receiver.ts';
import { publish } from '../index.ts';

const env = { ALLOW_PRIVATE_ADDRESSES: 'on' };
const app = await startTestApp({ env });
await startTestWorker(app, env);
const tenant = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');
const platformAdmin = await arrangePlatformAdmin(app);
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
const services = { jobs: await openJobs(database) };
test.after(async () => {
  await services.jobs.close();
  await database.close();
});

/** Creates a webhook that sends to a receiver. */
const arrangeWebhook = (
  receiver: Pick<WebhookReceiver, 'url'>,
  {
    path = webhooksOf(tenant),
    caller = admin,
    ...more
  }: { path?: string; caller?: Caller; eventTypes?: string[] } = {},
) => arrangeWebhookAt(app, path, caller, { url: `${receiver.url}/hook?x=1`, ...more });
function webhooksOf({ workspaceId }: TestTenant): string {
  return `/api/workspaces/${workspaceId}/webhooks`;
}

const hurry = (deliveryId: string) => hurryDeliveries(app, deliveryId);
/** The time from the start of the last attempt to the next one. */
const secondsToNext = ({ lastAttemptAt, nextAttemptAt }: Record<string, string>) =>
  (Date.parse(nextAttemptAt!) - Date.parse(lastAttemptAt!)) / 1000;
/** An attempt on a busy machine may take some seconds, and the delay begins at its end. */
const assertDelay = (seconds: number, delay: number, note?: string) =>
  assert.ok(seconds >= delay && seconds <= delay * 1.2 + 4, `${seconds} s instead of ${delay} ${note ?? ''}`);
const warning = usageWarning(tenant.workspaceId);
const publishUsageWarning = () =>
  database.transaction((transaction) => publish(services, transaction, warning));
const refuseWith = (status: number, headers: Record<string, string> = {}, body = '') =>
  ((response) => response.writeHead(status, headers).end(body)) satisfies WebhookReceiver['answer'];

describe('publish', () => {
  test('delivers an event with a Standard Webhooks signature', async () => {
    const receiver = await startWebhookReceiver();
    const webhook = await arrangeWebhook(receiver, { eventTypes: ['usage.warning'] });
    receiver.answer = refuseWith(200, {}, `thanks\0${'é'.repeat(2000)}`);
    await publishUsageWarning();
    await eventually(() => receiver.received.length === 1);
    const [arrived] = receiver.received;
    assert.ok(arrived);
    assert.equal(arrived.path, '/hook?x=1');
    assert.equal(arrived.headers['content-type'], 'application/json');
    assert.equal(arrived.headers['user-agent'], 'Guildhall-Webhooks');
    const { timestamp, ...event } = verify(webhook.secret, arrived) as Record<string, unknown>;
    assert.deepEqual(event, warning);
    assert.ok(Math.abs(Date.parse(String(timestamp)) - Date.now()) < 60_000);

    await webhook.becomes(arrived.id, { status: 'delivered' });
    const delivery = await webhook.delivery(arrived.id);
    assert.equal(delivery.body, arrived.body);
    assert.deepEqual(
      [delivery.attempts, delivery.lastStatusCode, delivery.lastError, delivery.nextAttemptAt],
      [1, 200, null, null],
    );
    const [{ answer, durationMs, ...attempt }] = delivery.history;
    assert.deepEqual([attempt.number, attempt.statusCode, attempt.error], [1, 200, null]);
    assert.ok(durationMs >= 0);
    // The first 1,024 bytes: 7 bytes, then 2 bytes per é. Half of the last é is cut off.
    assert.equal(answer, `thanks\uFFFD${'é'.repeat(508)}`);
  });
});

// The tests run in parallel: each has its own webhook and mostly waits.
describe('attemptDelivery', { concurrency: true }, () => {
  test('retries a failed delivery with the same ID and body', async () => {
    const receiver = await startWebhookReceiver();
    const webhook = await arrangeWebhook(receiver);
    receiver.answer = refuseWith(500, {}, 'out of order');
    const id = await webhook.test();
    await webhook.becomes(id, { attempts: 1, lastStatusCode: 500 });
    await eventually(async () => (await webhook.delivery(id)).history[0].error !== null);
    const failed = await webhook.delivery(id);
    assert.deepEqual([failed.status, failed.lastError], ['pending', 'The endpoint returned status 500.']);
    assert.equal(failed.history[0].answer, 'out of order');
    const viewer = await arrangeAccount(app, tenant, 'viewer');
    const seen = await app.http.get(`${webhooksOf(tenant)}/${webhook.id}/deliveries/${id}`, viewer);
    // On a busy machine, the second attempt may have begun.
    assert.deepEqual(seen.body.history[0], { ...failed.history[0], answer: null });
    assertDelay(secondsToNext(failed), 5);
    assert.ok((await webhook.read()).failingSince);

    receiver.answer = refuseWith(204);
    await webhook.becomes(id, { status: 'delivered', attempts: 2, lastError: null });
    const [first, second] = receiver.received;
    assert.equal(second?.id, first?.id);
    assert.equal(second?.body, first?.body);
    assert.notEqual(second?.headers['webhook-timestamp'], first?.headers['webhook-timestamp']);
    receiver.received.forEach((delivery) => verify(webhook.secret, delivery));
    assert.equal((await webhook.read()).failingSince, null);
  });

  test('fails after eight attempts with growing delays, until it is redelivered', async () => {
    const receiver = await startWebhookReceiver();
    const webhook = await arrangeWebhook(receiver);
    receiver.answer = refuseWith(503);
    const id = await webhook.test();
    for (const [index, wait] of [5, 300, 1800, 7200, 18_000, 36_000, 36_000].entries()) {
      await eventually(async () => {
        const { history } = await webhook.delivery(id);
        return history.length === index + 1 && history.at(-1).error !== null;
      });
      assertDelay(secondsToNext(await webhook.delivery(id)), wait);
      await hurry(id);
    }
    await webhook.becomes(id, { status: 'failed', attempts: 8, nextAttemptAt: null });
    assert.equal(await hurry(id), 0);
    assert.equal(receiver.received.length, 8);

    receiver.answer = refuseWith(200);
    const again = await webhook.redeliver(id);
    assert.deepEqual([again.status, again.body.id, again.body.status], [202, id, 'pending']);
    await webhook.becomes(id, { status: 'delivered', attempts: 9 });
    assert.equal(receiver.received.at(-1)?.id, id);
  });

  test('attempts nothing for a stale job', async () => {
    const receiver = await startWebhookReceiver();
    const webhook = await arrangeWebhook(receiver);
    receiver.answer = refuseWith(500);
    const id = await webhook.test();
    const attempted = (count: number) =>
      eventually(async () => {
        const { history } = await webhook.delivery(id);
        return history.length === count && history.at(-1).error !== null;
      });
    await attempted(1);
    // The job of the second attempt is delayed. The redelivery runs first and creates a third job.
    assert.equal((await webhook.redeliver(id)).status, 202);
    await attempted(2);
    await hurry(id);
    await attempted(3);
    await eventually(async () => {
      const { rowCount } = await app.owner.query(
        `SELECT FROM pgboss.job WHERE data->>'deliveryId' = $1 AND state <> 'completed'`,
        [id],
      );
      return rowCount === 1;
    });
    assert.equal((await webhook.delivery(id)).attempts, 3);
  });

  test('treats a missing, incomplete or redirect response as a failure', async () => {
    const receiver = await startWebhookReceiver();
    const elsewhere = await startWebhookReceiver();
    const webhook = await arrangeWebhook(receiver);
    const attempts: [WebhookReceiver['answer'], RegExp, number | null][] = [
      [(response) => response.destroy(), /connection was closed/, null],
      [
        (response) => {
          response.writeHead(200, { 'content-length': '10' }).write('12345', () => response.destroy());
        },
        /connection was closed/,
        null,
      ],
      [refuseWith(307, { location: `${elsewhere.url}/` }), /status 307/, 307],
      [refuseWith(404), /status 404/, 404],
    ];
    for (const [answer, reason, statusCode] of attempts) {
      receiver.answer = answer;
      const id = await webhook.test();
      await eventually(async () => (await webhook.delivery(id)).lastError !== null);
      const { lastError, lastStatusCode, status } = await webhook.delivery(id);
      assert.match(lastError, reason);
      assert.deepEqual([lastStatusCode, status], [statusCode, 'pending']);
    }
    assert.equal(elsewhere.received.length, 0);
  });

  test('reads no more of a response than it stores', async () => {
    const receiver = await startWebhookReceiver();
    const webhook = await arrangeWebhook(receiver);
    let sent = 0;
    receiver.answer = (response) => {
      response.writeHead(200);
      const flood = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) sent += 65_536;
        if (!response.destroyed) response.once('drain', flood);
      };
      flood();
    };
    const id = await webhook.test();
    await webhook.becomes(id, { status: 'delivered' });
    assert.equal((await webhook.delivery(id)).history[0].answer, 'x'.repeat(1024));
    assert.ok(sent < 32 * 2 ** 20, `the receiver sent ${sent} bytes`);
  });

  test('ends an attempt after 15 seconds without delaying other webhooks', async (context) => {
    let open = 0;
    let most = 0;
    const silent = createServer((request) => {
      most = Math.max(most, ++open);
      request.on('close', () => open--);
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    context.after(() => silent.close());
    const { port } = silent.address() as { port: number };
    const slow = await arrangeWebhook({ url: `http://127.0.0.1:${port}` });
    const receiver = await startWebhookReceiver();
    const quick = await arrangeWebhook(receiver);
    const first = await slow.test();
    await eventually(async () => (await slow.delivery(first)).attempts === 1);
    // More deliveries than run at the same time for one webhook.
    await Promise.all(Array.from({ length: 20 }, () => slow.test()));
    await eventually(() => most >= 8);
    await Promise.all(Array.from({ length: 20 }, () => quick.test()));
    await eventually(() => receiver.received.length === 20);
    assert.equal((await slow.delivery(first)).lastError, null, 'the first attempt still waits');
    assert.equal(most, 8, 'eight attempts run at the same time');

    await eventually(async () => (await slow.delivery(first)).lastError !== null);
    const { lastError, history } = await slow.delivery(first);
    assert.match(lastError, /no complete response in time/);
    assert.ok(history[0].durationMs >= 14_900, history[0].durationMs);
    await slow.change({ enabled: false });
  });

  test('waits as long as Retry-After requests', async () => {
    const receiver = await startWebhookReceiver();
    const webhook = await arrangeWebhook(receiver);
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    for (const [retryAfter, least] of [
      ['100', 100],
      [inAnHour, 3600],
      ['1000000000', 86_400],
      ['nonsense', 5],
      ['-7', 5],
    ] as const) {
      receiver.answer = refuseWith(429, { 'retry-after': retryAfter });
      const id = await webhook.test();
      await eventually(async () => (await webhook.delivery(id)).lastStatusCode === 429);
      const { lastAttemptAt, nextAttemptAt } = await webhook.delivery(id);
      // An HTTP date has no milliseconds and does not move with the attempt.
      const delay =
        retryAfter === inAnHour ? (Date.parse(inAnHour) - Date.parse(lastAttemptAt)) / 1000 - 4 : least;
      assertDelay(secondsToNext({ lastAttemptAt, nextAttemptAt }), delay, `after ${retryAfter}`);
    }
  });

  test('disables a webhook after 410, notifies the team, and resumes when enabled again', async () => {
    const receiver = await startWebhookReceiver();
    const webhook = await arrangeWebhook(receiver);
    receiver.answer = refuseWith(410);
    const id = await webhook.test();
    await eventually(async () => !(await webhook.read()).enabled);
    const { disabledReason } = await webhook.read();
    assert.equal(disabledReason, 'gone');
    const { rows } = await app.owner.query(
      `SELECT account_id, title FROM notifications WHERE data->>'webhookId' = $1`,
      [webhook.id],
    );
    assert.deepEqual(rows, [
      { account_id: admin.accountId, title: `The webhook to ${new URL(receiver.url).host} was disabled` },
    ]);
    const audited = await app.owner.query(
      `SELECT actor_kind, details FROM audit_records WHERE target_id = $1 AND action = 'webhook.disabled'`,
      [webhook.id],
    );
    assert.deepEqual(audited.rows, [{ actor_kind: 'system', details: { reason: 'gone' } }]);

    // Deliveries that become due stay pending.
    await hurry(id);
    await eventually(async () => {
      const { rows: waiting } = await app.owner.query(
        `SELECT FROM pgboss.job WHERE data->>'deliveryId' = $1 AND state <> 'completed'`,
        [id],
      );
      return waiting.length === 0;
    });
    assert.deepEqual([receiver.received.length, (await webhook.delivery(id)).status], [1, 'pending']);
    receiver.answer = refuseWith(200);
    await webhook.change({ enabled: true });
    await hurry(id);
    await webhook.becomes(id, { status: 'delivered', attempts: 2 });
  });

  test('disables a webhook of the deployment after five days of failures and notifies platform administrators', async () => {
    const receiver = await startWebhookReceiver();
    const webhook = await arrangeWebhook(receiver, { path: '/api/admin/webhooks', caller: platformAdmin });
    receiver.answer = refuseWith(500);
    const failSince = (interval: string, last = '25 hours') =>
      app.owner.query(
        'UPDATE webhooks SET failing_since = now() - $2::interval, last_failed_at = now() - $3::interval WHERE id = $1',
        [webhook.id, interval, last],
      );
    const failOnce = async () => {
      const id = await webhook.test();
      await eventually(async () => (await webhook.delivery(id)).lastStatusCode === 500);
    };
    await failSince('4 days 23 hours');
    const { failingSince } = await webhook.read();
    await failOnce();
    assert.partialDeepStrictEqual(await webhook.read(), { enabled: true, failingSince });
    await failSince('6 days', '2 days 1 minute');
    await failOnce();
    const begun = await webhook.read();
    assert.equal(begun.enabled, true, 'a failure after two days without one begins anew');
    assert.ok(Date.now() - Date.parse(begun.failingSince) < 60_000, begun.failingSince);
    await failSince('5 days 1 minute');
    await failOnce();
    const { enabled, disabledReason } = await webhook.read();
    assert.deepEqual([enabled, disabledReason], [false, 'failing']);
    const { rows } = await app.owner.query(
      `SELECT account_id FROM notifications WHERE data->>'webhookId' = $1`,
      [webhook.id],
    );
    assert.deepEqual(rows, [{ account_id: platformAdmin.accountId }]);
    const again = await webhook.change({ enabled: true });
    assert.equal(again.failingSince, null, 'the failure time is reset');
    await webhook.change({ enabled: false });
  });

  test('signs with each secret until the overlap of its rotation ends', async () => {
    const receiver = await startWebhookReceiver();
    const webhook = await arrangeWebhook(receiver);
    const signedBy = async (secrets: string[], count: number) => {
      const id = await webhook.test();
      await webhook.becomes(id, { status: 'delivered' });
      const arrived = receiver.received.find((delivery) => delivery.id === id)!;
      assert.equal(String(arrived.headers['webhook-signature']).split(' ').length, count);
      return secrets.map((secret) => isSignedWith(secret, arrived));
    };
    const second = await webhook.rotate(600);
    assert.ok((await webhook.read()).previousSecretUntil);
    assert.deepEqual(await signedBy([webhook.secret, second], 2), [true, true]);
    const third = await webhook.rotate(60);
    assert.deepEqual(await signedBy([webhook.secret, second, third], 3), [true, true, true]);
    const pass = (time: string) =>
      app.owner.query(
        `UPDATE webhooks SET earlier_secrets_until =
           ARRAY(SELECT ends_at - $2::interval FROM unnest(earlier_secrets_until) ends_at) WHERE id = $1`,
        [webhook.id, time],
      );
    await pass('1 minute');
    assert.ok((await webhook.read()).previousSecretUntil, 'the second secret still signs');
    assert.deepEqual(await signedBy([webhook.secret, second, third], 2), [true, false, true]);
    await pass('9 minutes');
    assert.equal((await webhook.read()).previousSecretUntil, null);
    assert.deepEqual(await signedBy([webhook.secret, third], 1), [false, true]);
    const fourth = await webhook.rotate(600);
    assert.deepEqual(await signedBy([webhook.secret, third, fourth], 2), [false, true, true]);
    const fifth = await webhook.rotate(0);
    assert.equal((await webhook.read()).previousSecretUntil, null);
    assert.deepEqual(await signedBy([third, fourth, fifth], 1), [false, false, true]);
  });
});
