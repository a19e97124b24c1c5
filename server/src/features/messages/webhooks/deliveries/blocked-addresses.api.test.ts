import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangeTenant } from '../../../../testing/arrange.ts';
import { eventually } from '../../../../testing/eventually.ts';
import { startTestApp, startTestWorker } from '../../../../testing/test-app.ts';
import { startWebhookReceiver } from '../../../../testing/webhook-receiver.ts';
import { arrangeWebhook } from '../../../../testing/webhooks.ts';

// Only the worker blocks private addresses. The app accepts them, so that webhooks with such addresses can be created.
const app = await startTestApp({ env: { ALLOW_PRIVATE_ADDRESSES: 'on' } });
await startTestWorker(app);
const tenant = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');
const path = `/api/workspaces/${tenant.workspaceId}/webhooks`;

describe('attemptDelivery', () => {
  for (const [host, reason] of [
    ['127.0.0.1', /127\.0\.0\.1 is not a public address/],
    ['localhost', /localhost is not a public address/],
  ] as const)
    test(`sends nothing to ${host}`, async () => {
      const receiver = await startWebhookReceiver();
      const { port } = new URL(receiver.url);
      const webhook = await arrangeWebhook(app, path, admin, { url: `http://${host}:${port}/` });
      const id = await webhook.test();
      await eventually(async () => (await webhook.delivery(id)).lastError !== null);
      assert.match((await webhook.delivery(id)).lastError, reason);
      assert.equal(receiver.received.length, 0);
    });
});
