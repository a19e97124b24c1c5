import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { repeatJobs } from '../../../../testing/notify-workers.ts';
import { arrangeAccount, arrangeTenant } from '../../../../testing/arrange.ts';
import { eventually } from '../../../../testing/eventually.ts';
import { startTestApp, startTestWorker } from '../../../../testing/test-app.ts';
import { startWebhookReceiver, verify, type WebhookReceiver } from '../../../../testing/webhook-receiver.ts';
import { arrangeDeliveries, arrangeWebhook, holdLastAttempt } from '../../../../testing/webhooks.ts';
import { whileLocked } from '../../../../testing/while-locked.ts';

// Two workers share the redeliveries of this file.
const env = { ALLOW_PRIVATE_ADDRESSES: 'on' };
const app = await startTestApp({ env });
const workers = [await startTestWorker(app, env), await startTestWorker(app, env)];

/** A webhook of a new workspace with its own receiver. */
async function arrange() {
  const tenant = await arrangeTenant(app);
  const admin = await arrangeAccount(app, tenant, 'admin');
  const receiver = await startWebhookReceiver();
  const createWebhook = () =>
    arrangeWebhook(app, `/api/workspaces/${tenant.workspaceId}/webhooks`, admin, { url: receiver.url });
  return { receiver, createWebhook, webhook: await createWebhook() };
}

const refuse: WebhookReceiver['answer'] = (response) => response.writeHead(500).end();
const numberOf = ({ body }: { body: string }): number => JSON.parse(body).data.number;
const assertEachOnce = ({ received }: WebhookReceiver, ids: string[]) =>
  assert.deepEqual(received.map(({ id }) => id).toSorted(), ids.toSorted());

/** Holds all responses until `release` is called. */
function hold(receiver: WebhookReceiver) {
  const held: (() => void)[] = [];
  receiver.answer = (response) => held.push(() => response.writeHead(204).end());
  return {
    release: () => {
      receiver.answer = (response) => response.writeHead(204).end();
      for (const respond of held) respond();
    },
  };
}

// The tests mostly wait. On a busy machine, more of them at once would hold responses for longer than the 15 seconds of an attempt.
describe('continueRedelivery', { concurrency: 4 }, () => {
  test('sends each delivery once, oldest first, with its ID, body and a valid signature', async () => {
    const { receiver, webhook } = await arrange();
    const ids = await arrangeDeliveries(app, webhook.id, 250);
    const { id, total } = await webhook.startRedelivery();
    assert.equal(total, 250);
    await webhook.redeliveryBecomes(id, { status: 'completed', delivered: 250, failed: 0, skipped: 0 });
    assertEachOnce(receiver, ids);
    assert.ok((await webhook.redelivery(id)).endedAt);
    receiver.received.forEach((arrived, index) =>
      assert.ok(numberOf(arrived) <= index + 100, 'it waits until all but 99 of those before it have ended'),
    );
    for (const arrived of receiver.received.slice(0, 3)) verify(webhook.secret, arrived);
    assert.equal(await webhook.count('delivered'), 250);
  });

  test('has at most 100 deliveries in progress, and sends a new event before the others', async () => {
    const { receiver, webhook } = await arrange();
    await arrangeDeliveries(app, webhook.id, 300);
    const { release } = hold(receiver);
    const { id } = await webhook.startRedelivery();
    await eventually(() => receiver.received.length > 0);
    const fresh = await webhook.test();
    // The first step starts the deliveries. The second one sees that all of them are in progress.
    await eventually(async () => {
      const { rows } = await app.owner.query('SELECT step FROM webhook_redeliveries WHERE id = $1', [id]);
      return rows[0].step > 2;
    });
    assert.equal(await webhook.count('pending'), 101);
    assert.equal((await webhook.redelivery(id)).delivered, 0);
    release();
    await webhook.becomes(fresh, { status: 'delivered' });
    assert.ok(receiver.received.findIndex((arrived) => arrived.id === fresh) <= 200);
    await webhook.redeliveryBecomes(id, { status: 'completed', delivered: 300 });
  });

  test('counts failed attempts, which are retried on the schedule of all deliveries', async () => {
    const { receiver, webhook } = await arrange();
    const ids = await arrangeDeliveries(app, webhook.id, 20);
    const refused = new Set<string>();
    receiver.answer = (response, delivery) => {
      const isRefused = numberOf(delivery) % 4 === 0 && !refused.has(delivery.id);
      if (isRefused) refused.add(delivery.id);
      response.writeHead(isRefused ? 500 : 204).end();
    };
    const { id } = await webhook.startRedelivery();
    await webhook.redeliveryBecomes(id, { status: 'completed', delivered: 15, failed: 5 });
    // The retry after 5 seconds: the redelivery restarted the schedule.
    await eventually(async () => (await webhook.count('delivered')) === 20);
    assert.equal(receiver.received.length, 25);
    assert.equal((await webhook.delivery(ids[3]!)).attempts, 10);
  });

  test('starts no more deliveries after it was cancelled, and counts those in progress', async () => {
    const { receiver, webhook } = await arrange();
    await arrangeDeliveries(app, webhook.id, 300);
    const { release } = hold(receiver);
    const { id } = await webhook.startRedelivery();
    await eventually(() => receiver.received.length > 0);
    await webhook.cancelRedelivery(id);
    release();
    await webhook.redeliveryBecomes(id, { status: 'cancelled', delivered: 100, failed: 0, skipped: 0 });
    assert.equal(receiver.received.length, 100);
    assert.equal(await webhook.count('failed'), 200);
  });

  test('stops when the webhook is disabled', async () => {
    const { receiver, webhook } = await arrange();
    await arrangeDeliveries(app, webhook.id, 300);
    receiver.answer = (response) => response.writeHead(410).end();
    const { id } = await webhook.startRedelivery();
    await webhook.redeliveryBecomes(id, { status: 'stopped' });
    assert.equal((await webhook.read()).disabledReason, 'gone');
    assert.equal(await webhook.count('failed'), 200);
    const { length } = receiver.received;
    assert.ok(length <= 16, `${length} arrived`);
    // Those that were in progress are pending, like any other delivery of a disabled webhook.
    receiver.answer = (response) => response.writeHead(204).end();
    await webhook.change({ enabled: true });
    await eventually(async () => (await webhook.count('delivered')) >= 100 - length);
    assert.equal(await webhook.count('failed'), 200);
  });

  test('skips deliveries that are deleted meanwhile, even all of a step', async () => {
    const { receiver, webhook } = await arrange();
    const ids = await arrangeDeliveries(app, webhook.id, 250);
    const { release } = hold(receiver);
    const { id } = await webhook.startRedelivery();
    await eventually(() => receiver.received.length > 0);
    await app.owner.query('DELETE FROM webhook_deliveries WHERE id = ANY($1)', [ids.slice(20, 240)]);
    release();
    await webhook.redeliveryBecomes(id, { status: 'completed', delivered: 30, skipped: 220 });
  });

  test('ends when the webhook is deleted', async () => {
    const { receiver, webhook } = await arrange();
    await arrangeDeliveries(app, webhook.id, 300);
    const { release } = hold(receiver);
    const { id } = await webhook.startRedelivery();
    await eventually(() => receiver.received.length > 0);
    await webhook.delete();
    release();
    await eventually(async () => {
      const { rows } = await app.owner.query(
        `SELECT state FROM pgboss.job WHERE name = 'webhook-redelivery' AND data->>'redeliveryId' = $1`,
        [id],
      );
      return rows.every(({ state }) => state === 'completed');
    });
    assert.ok(receiver.received.length <= 100);
  });

  test('does not send a delivery twice that is in progress, due, or waits for a retry', async () => {
    const { receiver, webhook } = await arrange();
    receiver.answer = refuse;
    const waiting = await webhook.test();
    await webhook.becomes(waiting, { attempts: 1, lastStatusCode: 500 });
    const { release } = hold(receiver);
    const others = await Promise.all(Array.from({ length: 20 }, () => webhook.test()));
    await eventually(() => receiver.received.length > 1);
    const { id, total } = await webhook.startRedelivery({ status: 'pending' });
    assert.equal(total, 21);
    await eventually(async () => {
      const { rows } = await app.owner.query('SELECT started FROM webhook_redeliveries WHERE id = $1', [id]);
      return rows[0].started === 21;
    });
    release();
    await webhook.redeliveryBecomes(id, { status: 'completed', delivered: 21 });
    // The job of the retry of the first delivery is out of date.
    await eventually(async () => {
      const { rowCount } = await app.owner.query(
        `SELECT FROM pgboss.job WHERE group_id = $1 AND state <> 'completed'`,
        [webhook.id],
      );
      return rowCount === 0;
    });
    assertEachOnce(receiver, [waiting, waiting, ...others]);
  });

  test('gives all retries to a delivery whose last attempt is running', async () => {
    const { receiver, webhook } = await arrange();
    const { id, fail } = await holdLastAttempt(app, webhook, receiver);
    const redelivery = await webhook.startRedelivery({ deliveryIds: [id] });
    await eventually(async () => {
      const { rows } = await app.owner.query('SELECT started FROM webhook_redeliveries WHERE id = $1', [
        redelivery.id,
      ]);
      return rows[0].started === 1;
    });
    receiver.answer = (response) => response.writeHead(204).end();
    fail();
    await webhook.redeliveryBecomes(redelivery.id, { status: 'completed', delivered: 0, failed: 1 });
    // The retry after 5 seconds.
    await webhook.becomes(id, { status: 'delivered', attempts: 3 });
  });

  test('does not send a delivery again that was delivered since the request', async () => {
    const { receiver, webhook } = await arrange();
    const ids = await arrangeDeliveries(app, webhook.id, 150);
    const { release } = hold(receiver);
    const { id } = await webhook.startRedelivery();
    await eventually(() => receiver.received.length > 0);
    const last = ids.at(-1)!;
    assert.equal((await webhook.redeliver(last)).status, 202);
    release();
    await webhook.redeliveryBecomes(id, { status: 'completed', delivered: 150 });
    assertEachOnce(receiver, ids);
  });

  test('does nothing for the job of an earlier step', async () => {
    const { receiver, webhook } = await arrange();
    const ids = await arrangeDeliveries(app, webhook.id, 350);
    const { id } = await webhook.startRedelivery();
    const jobsOf = async (condition: string): Promise<number> => {
      const { rowCount } = await app.owner.query(
        `SELECT FROM pgboss.job
         WHERE name = 'webhook-redelivery' AND data->>'redeliveryId' = $1 AND ${condition}`,
        [id],
      );
      return rowCount ?? 0;
    };
    await eventually(async () => (await jobsOf(`state = 'completed'`)) >= 2);
    await repeatJobs(app, 'webhook-redelivery', 'redeliveryId', id);
    await webhook.redeliveryBecomes(id, { status: 'completed', delivered: 350 });
    await eventually(async () => (await jobsOf(`state <> 'completed'`)) === 0);
    const { rows } = await app.owner.query('SELECT step FROM webhook_redeliveries WHERE id = $1', [id]);
    assert.equal(await jobsOf('true'), rows[0].step - 1, 'each step has one job');
    assertEachOnce(receiver, ids);
  });
});

describe('continueRedelivery beside a cancellation', () => {
  test('leaves the redelivery cancelled', async () => {
    const { webhook } = await arrange();
    await arrangeDeliveries(app, webhook.id, 3);
    const hold = 'SELECT FROM webhook_deliveries WHERE webhook_id = $1 FOR UPDATE';
    await whileLocked(
      app,
      (holder) => holder.query(hold, [webhook.id]),
      async (waiting, release) => {
        const { id } = await webhook.startRedelivery();
        // A step waits to start the deliveries.
        await waiting(1);
        const cancelled = webhook.cancelRedelivery(id);
        await Promise.race([waiting(2), cancelled]);
        await release();
        await cancelled;
        await webhook.redeliveryBecomes(id, { delivered: 3 });
        assert.equal((await webhook.redelivery(id)).status, 'cancelled');
      },
    );
  });
});

describe('continueRedelivery of several workspaces', () => {
  test('delays no other workspace while a workspace redelivers 10,000 to receivers that do not respond', async () => {
    const slow = await arrange();
    const { release } = hold(slow.receiver);
    const webhooks = await Promise.all(Array.from({ length: 10 }, slow.createWebhook));
    const redeliveries = await Promise.all(
      webhooks.map(async (webhook) => {
        await arrangeDeliveries(app, webhook.id, 1_000);
        return { webhook, ...(await webhook.startRedelivery()) };
      }),
    );
    // The limit of a workspace: 32 attempts in each worker.
    await eventually(() => slow.receiver.received.length >= 2 * 32);
    const quick = await arrange();
    const ids = await arrangeDeliveries(app, quick.webhook.id, 150);
    const [{ id }, fresh] = await Promise.all([quick.webhook.startRedelivery(), quick.webhook.test()]);
    await quick.webhook.becomes(fresh, { status: 'delivered' });
    await quick.webhook.redeliveryBecomes(id, { status: 'completed', delivered: 150 });
    assertEachOnce(quick.receiver, [fresh, ...ids]);
    assert.equal(slow.receiver.received.length, 2 * 32, 'no attempt of the other workspace has ended');
    await Promise.all(redeliveries.map(({ webhook, id: slowId }) => webhook.cancelRedelivery(slowId)));
    release();
  });
});

describe('continueRedelivery after a worker has stopped', () => {
  test('continues with the other worker, and sends nothing twice', async () => {
    const { receiver, webhook } = await arrange();
    receiver.answer = async (response) => {
      await sleep(50);
      response.writeHead(204).end();
    };
    const ids = await arrangeDeliveries(app, webhook.id, 250);
    const { id } = await webhook.startRedelivery();
    await eventually(() => receiver.received.length >= 50);
    await workers[0]!.stop();
    await webhook.redeliveryBecomes(id, { status: 'completed', delivered: 250 });
    assertEachOnce(receiver, ids);
  });
});
