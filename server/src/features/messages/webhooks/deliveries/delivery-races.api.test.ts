import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../../../database/database.ts';
import { openJobs } from '../../../../jobs/queue.ts';
import { arrangeAccount, arrangePlatformAdmin, arrangeTenant } from '../../../../testing/arrange.ts';
import { eventually } from '../../../../testing/eventually.ts';
import { startTestApp, startTestWorker } from '../../../../testing/test-app.ts';
import { isSignedWith, startWebhookReceiver } from '../../../../testing/webhook-receiver.ts';
import {
  arrangeWebhook,
  holdLastAttempt,
  hurryDeliveries,
  usageWarning,
} from '../../../../testing/webhooks.ts';
import { whileLocked } from '../../../../testing/while-locked.ts';
import { publish } from '../index.ts';

// Two workers share the deliveries of this file.
const env = { ALLOW_PRIVATE_ADDRESSES: 'on' };
const app = await startTestApp({ env });
const workers = [await startTestWorker(app, env), await startTestWorker(app, env)];
const tenant = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');
const path = `/api/workspaces/${tenant.workspaceId}/webhooks`;
const database = openDatabase(app.databaseUrl, { poolSize: 8 });
const services = { jobs: await openJobs(database) };
test.after(async () => {
  await services.jobs.close();
  await database.close();
});

const publishSome = (count: number) =>
  database.transaction(async (transaction) => {
    for (let index = 0; index < count; index++)
      await publish(services, transaction, usageWarning(tenant.workspaceId));
  });
/** Returns jobs that failed and wait for a retry by the queue. */
const failedJobs = async () =>
  (
    await app.owner.query(
      `SELECT output FROM pgboss.job WHERE name = 'webhook-delivery' AND output IS NOT NULL AND state <> 'completed'`,
    )
  ).rows;

/** A webhook whose attempts wait for the test to answer them. `begin` starts one, and returns the id of its delivery. */
async function arrangeHeld() {
  const receiver = await startWebhookReceiver();
  const webhook = await arrangeWebhook(app, path, admin, { url: receiver.url });
  const held = new Map<string, ServerResponse>();
  receiver.answer = (response, { id }) => held.set(id, response);
  const begin = async (): Promise<string> => {
    const id = await webhook.test();
    await eventually(() => held.has(id));
    return id;
  };
  return { webhook, held, begin };
}

describe('attemptDelivery with two workers', () => {
  test('sends no delivery again while an attempt is running', async () => {
    const receiver = await startWebhookReceiver();
    // Webhooks of the deployment have no limit of redeliveries.
    const operator = await arrangePlatformAdmin(app);
    const webhook = await arrangeWebhook(app, '/api/admin/webhooks', operator, { url: receiver.url });
    const running = new Set<string>();
    const overlapping: string[] = [];
    receiver.answer = async (response, { id }) => {
      if (running.has(id)) overlapping.push(id);
      running.add(id);
      await sleep(100 + Math.random() * 200);
      running.delete(id);
      response.writeHead(500).end();
    };
    const id = await webhook.test();
    const statuses = new Map<number, number>();
    await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => webhook.redeliver(id)));
      for (const { status, body } of answers) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 409) assert.equal(body.code, 'delivery_running');
      }
      return receiver.received.length >= 10 && statuses.size === 2;
    });
    assert.deepEqual([...statuses.keys()].toSorted(), [202, 409]);
    assert.deepEqual(overlapping, []);
    receiver.answer = (response) => response.writeHead(200).end();
    await eventually(async () => {
      await hurryDeliveries(app);
      return (await webhook.count('delivered')) === 1;
    });
    await webhook.delete();
  });

  test('takes the state of the webhook from the attempt that ended last', async () => {
    const { webhook, held, begin } = await arrangeHeld();
    const end = async (id: string, status: number): Promise<void> => {
      // No retry follows during the test.
      held.get(id)!.writeHead(status, { 'retry-after': '3600' }).end();
      await eventually(async () => ((await webhook.read()).failingSince !== null) === status >= 300);
    };
    const [first, second] = [await begin(), await begin()];
    await end(first, 500);
    await end(second, 204);
    await end(await begin(), 500);
    const [third, fourth] = [await begin(), await begin()];
    await end(third, 204);
    await end(fourth, 500);
    await webhook.delete();
  });

  test('keeps the state of the webhook if its URL was changed during the attempt', async () => {
    const [earlier, current] = [await startWebhookReceiver(), await startWebhookReceiver()];
    const webhook = await arrangeWebhook(app, path, admin, { url: earlier.url });
    const held = new Map<string, ServerResponse>();
    earlier.answer = (response, { id }) => held.set(id, response);
    const [gone, delivered] = [await webhook.test(), await webhook.test()];
    await eventually(() => held.size === 2);
    await webhook.change({ url: current.url });

    held.get(gone)!.writeHead(410, { 'retry-after': '3600' }).end();
    await webhook.becomes(gone, { attempts: 1, lastStatusCode: 410 });
    const { enabled, failingSince } = await webhook.read();
    assert.deepEqual([enabled, failingSince], [true, null]);

    current.answer = (response) => response.writeHead(500, { 'retry-after': '3600' }).end();
    await webhook.becomes(await webhook.test(), { attempts: 1, lastStatusCode: 500 });
    held.get(delivered)!.writeHead(204).end();
    await webhook.becomes(delivered, { status: 'delivered' });
    await eventually(async () => {
      const { rowCount } = await app.owner.query(
        `SELECT FROM pgboss.job WHERE name = 'webhook-delivery' AND group_id = $1 AND state = 'active'`,
        [webhook.id],
      );
      return rowCount === 0;
    });
    assert.notEqual((await webhook.read()).failingSince, null);
    await webhook.delete();
  });

  test('sends only deliveries with a valid signature during a rotation', async () => {
    const receiver = await startWebhookReceiver();
    const webhook = await arrangeWebhook(app, path, admin, { url: receiver.url });
    let current = webhook.secret;
    let refused = 0;
    receiver.answer = (response, delivery) => {
      const isGenuine = isSignedWith(current, delivery);
      if (!isGenuine) refused++;
      response.writeHead(isGenuine ? 200 : 401).end();
    };
    let isOver = false;
    const publishing = (async () => {
      for (let published = 0; !isOver; await sleep(50)) {
        // On a busy machine, a publisher without a limit is faster than the workers.
        if (published - receiver.received.length >= 100) continue;
        await publishSome(10);
        published += 10;
      }
    })();
    await eventually(() => receiver.received.length > 0);
    for (let rotation = 0; rotation < 4; rotation++) {
      const next = await webhook.rotate(600);
      // The receiver keeps the old secret until the deliveries from before the rotation have arrived.
      const { rows: earlier } = await app.owner.query(
        `SELECT id FROM webhook_deliveries WHERE webhook_id = $1 AND status = 'pending'`,
        [webhook.id],
      );
      await eventually(async () => {
        const { rowCount } = await app.owner.query(
          `SELECT FROM webhook_deliveries WHERE id = ANY($1::uuid[]) AND status = 'pending'`,
          [earlier.map(({ id }) => id)],
        );
        return rowCount === 0;
      });
      current = next;
      const { length } = receiver.received;
      await eventually(() => receiver.received.length > length + 5);
    }
    isOver = true;
    await publishing;
    await eventually(async () => (await webhook.count('pending')) === 0);
    assert.equal(refused, 0);
    assert.equal(await webhook.count('failed'), 0);
    await webhook.delete();
  });

  test('disables a webhook once, and keeps the reason of one that was disabled by hand meanwhile', async () => {
    const { webhook, held, begin } = await arrangeHeld();
    const end = async (id: string): Promise<void> => {
      held.get(id)!.writeHead(410, { 'retry-after': '3600' }).end();
      await webhook.becomes(id, { lastStatusCode: 410 });
    };
    const [first, second, third] = [await begin(), await begin(), await begin()];
    await end(first);
    await end(second);
    assert.equal((await webhook.read()).disabledReason, 'gone');
    await webhook.change({ enabled: true });
    await webhook.change({ enabled: false });
    await end(third);
    assert.equal((await webhook.read()).disabledReason, 'by_hand');
    const { rowCount } = await app.owner.query(
      `SELECT FROM notifications WHERE data->>'webhookId' = $1 AND account_id = $2`,
      [webhook.id, admin.accountId],
    );
    assert.equal(rowCount, 1);
    await webhook.delete();
  });

  test('keeps the state of a delivery when an attempt fails after the next one has started', async () => {
    const receiver = await startWebhookReceiver();
    const webhook = await arrangeWebhook(app, path, admin, { url: receiver.url });
    const held: ServerResponse[] = [];
    receiver.answer = (response) => held.push(response);
    const id = await webhook.test();
    await eventually(() => held.length === 1);
    // As if the worker of the first attempt had stopped responding.
    await app.owner.query(`UPDATE webhook_deliveries SET attempting_until = now() WHERE id = $1`, [id]);
    assert.equal((await webhook.redeliver(id)).status, 202);
    await eventually(() => held.length === 2);
    held[0]!.writeHead(500).end();
    const isRecorded = async () => {
      const { history } = await webhook.delivery(id);
      return history.some(
        ({ number, statusCode }: Record<string, number>) => number === 1 && statusCode === 500,
      );
    };
    await eventually(isRecorded);
    const { status, attempts, lastStatusCode, lastError } = await webhook.delivery(id);
    assert.deepEqual([status, attempts, lastStatusCode, lastError], ['pending', 2, null, null]);
    held[1]!.writeHead(204).end();
    await webhook.becomes(id, { status: 'delivered', attempts: 2 });
    await webhook.delete();
  });

  test('gives a delivery all retries that is redelivered while its last failure is recorded', async () => {
    const receiver = await startWebhookReceiver();
    const webhook = await arrangeWebhook(app, path, admin, { url: receiver.url });
    const { id, fail } = await holdLastAttempt(app, webhook, receiver);
    receiver.answer = (response) => response.writeHead(204).end();
    await whileLocked(
      app,
      async (holder) => void (await holder.query('LOCK TABLE webhook_attempts IN SHARE MODE')),
      async (waiting, release) => {
        fail();
        // A worker has read the failures, and waits to record the last one.
        await waiting(1);
        await webhook.startRedelivery({ deliveryIds: [id] });
        // The redelivery waits for that worker.
        await waiting(2);
        await release();
      },
    );
    await webhook.becomes(id, { status: 'delivered', attempts: 3 });
    await webhook.delete();
  });

  test('sends nothing to a disabled webhook and each delivery once after it is enabled', async () => {
    const receiver = await startWebhookReceiver();
    const webhook = await arrangeWebhook(app, path, admin, { url: receiver.url });
    // In a round it answers 20 deliveries, and the others after the webhook is disabled.
    let answered = 0;
    let disabled = Promise.withResolvers<void>();
    receiver.answer = async (response) => {
      if (answered >= 20) await disabled.promise;
      answered++;
      response.writeHead(200).end();
    };
    await publishSome(300);
    for (let round = 1; round <= 3; round++) {
      const { length } = receiver.received;
      await eventually(() => receiver.received.length > length + 20);
      await webhook.change({ enabled: false });
      // Running attempts end: at most eight per worker. All other jobs end without an attempt.
      const atMost = receiver.received.length + 16;
      disabled.resolve();
      await eventually(async () => {
        const { rowCount } = await app.owner.query(
          `SELECT FROM pgboss.job WHERE name = 'webhook-delivery' AND group_id = $1 AND state <> 'completed'`,
          [webhook.id],
        );
        return rowCount === 0;
      });
      const { length: arrived } = receiver.received;
      assert.ok(arrived <= atMost && arrived < 300, `${arrived} arrived`);
      assert.equal(await webhook.count('delivered'), arrived);
      answered = 0;
      disabled = Promise.withResolvers();
      await webhook.change({ enabled: true });
    }
    disabled.resolve();
    await eventually(async () => (await webhook.count('delivered')) === 300);
    const ids = receiver.received.map(({ id }) => id);
    assert.equal(new Set(ids).size, 300);
    assert.equal(ids.length, 300);
    await webhook.delete();
  });

  test('sends a delivery that was published while its webhook was disabled and enabled', async () => {
    const receiver = await startWebhookReceiver();
    const webhook = await arrangeWebhook(app, path, admin, { url: receiver.url });
    const [published, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const publishing = database.transaction(async (transaction) => {
      await publish(services, transaction, usageWarning(tenant.workspaceId));
      published.resolve();
      await commit.promise;
    });
    await published.promise;
    await webhook.change({ enabled: false });
    await whileLocked(
      app,
      async (holder) => void (await holder.query('LOCK TABLE audit_records IN SHARE MODE')),
      async (waiting, release) => {
        const enabling = webhook.change({ enabled: true });
        // It has rescheduled the deliveries that it sees, and waits to write its audit record.
        await waiting(1);
        commit.resolve();
        await publishing;
        // A worker has taken the job, and waits for the receiver.
        await waiting(2);
        await release();
        await enabling;
      },
    );
    await eventually(async () => (await webhook.count('delivered')) === 1);
    assert.equal(receiver.received.length, 1);
    await webhook.delete();
  });

  test('handles webhooks that are deleted during their deliveries', async () => {
    const receiver = await startWebhookReceiver();
    const kept = await arrangeWebhook(app, path, admin, { url: `${receiver.url}/kept` });
    receiver.answer = async (response) => {
      await sleep(20);
      response.writeHead(Math.random() < 0.5 ? 500 : 200).end();
    };
    const deleted: string[] = [];
    for (let round = 0; round < 8; round++) {
      const webhooks = await Promise.all(
        Array.from({ length: 4 }, () => arrangeWebhook(app, path, admin, { url: `${receiver.url}/deleted` })),
      );
      deleted.push(...webhooks.map(({ id }) => id));
      const publishing = Array.from({ length: 10 }, () => publishSome(2));
      const deleting = webhooks.map(async (webhook) => {
        await sleep(Math.random() * 1_000 * (round % 2));
        await webhook.delete();
      });
      await Promise.all([...publishing, ...deleting]);
    }
    receiver.answer = (response) => response.writeHead(200).end();
    await eventually(async () => {
      await hurryDeliveries(app);
      return (await kept.count('delivered')) === 160;
    });
    const { rows } = await app.owner.query('SELECT FROM webhook_deliveries WHERE webhook_id = ANY($1)', [
      deleted,
    ]);
    assert.equal(rows.length, 0);
    assert.deepEqual(await failedJobs(), []);
    await kept.delete();
  });

  test('returns unstarted jobs when a worker stops', async () => {
    const receiver = await startWebhookReceiver();
    const webhook = await arrangeWebhook(app, path, admin, { url: receiver.url });
    receiver.answer = async (response) => {
      await sleep(100 + Math.random() * 400);
      response.writeHead(200).end();
    };
    await publishSome(100);
    await eventually(() => receiver.received.length >= 30);
    await workers[0]!.stop();
    // The limit is shorter than the time after which the queue retries the jobs of a crashed worker.
    await eventually(async () => (await webhook.count('delivered')) === 100);
    assert.equal(receiver.received.length, 100);
  });
});

test('reads a delivery and its attempts in one snapshot', async () => {
  const receiver = await startWebhookReceiver();
  const webhook = await arrangeWebhook(app, path, admin, { url: receiver.url });
  const id = await webhook.test();
  await eventually(async () => (await webhook.count('delivered')) === 1);
  let isChanging = true;
  const changing = (async () => {
    for (let change = 0; isChanging; change++)
      await app.owner.query(`
        WITH attempt AS (UPDATE webhook_attempts SET error = '${change}' WHERE delivery_id = '${id}')
        UPDATE webhook_deliveries SET last_error = '${change}' WHERE id = '${id}'`);
  })();
  try {
    await eventually(async () => (await webhook.delivery(id)).lastError !== null);
    for (let read = 0; read < 200; read++) {
      const { lastError, history } = await webhook.delivery(id);
      assert.equal(history[0].error, lastError);
    }
  } finally {
    isChanging = false;
    await changing;
  }
  await webhook.delete();
});
