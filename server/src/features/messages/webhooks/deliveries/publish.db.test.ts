import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { openDatabase } from '../../../../database/database.ts';
import { openJobs } from '../../../../jobs/queue.ts';
import { arrangeTenant } from '../../../../testing/arrange.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { usageWarning } from '../../../../testing/webhooks.ts';
import { publish } from './publish.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
const services = { jobs: await openJobs(database) };
test.after(async () => {
  await services.jobs.close();
  await database.close();
});
const tenant = await arrangeTenant(app);
const sibling = await arrangeTenant(app, tenant);
const stranger = await arrangeTenant(app);

const webhooks = new Map<string, string>();
async function arrangeWebhook(
  name: string,
  { workspaceId, tenantId }: { workspaceId?: string; tenantId?: string },
  more: { eventTypes?: string[]; isDisabled?: boolean } = {},
) {
  const id = randomUUID();
  webhooks.set(id, name);
  await app.owner.query(
    `INSERT INTO webhooks (id, workspace_id, tenant_id, url, event_types, secret, disabled_at, disabled_reason)
     VALUES ($1, $2, $3, 'https://example.com', $4, '', CASE WHEN $5 THEN now() END, CASE WHEN $5 THEN 'gone' END)`,
    [id, workspaceId, tenantId, more.eventTypes, more.isDisabled ?? false],
  );
}
const { workspaceId, tenantId } = tenant;
await arrangeWebhook('deployment', {});
await arrangeWebhook('workspace', { workspaceId });
await arrangeWebhook('tenant', { workspaceId, tenantId });
await arrangeWebhook('sibling', { workspaceId, tenantId: sibling.tenantId });
await arrangeWebhook('stranger', { workspaceId: stranger.workspaceId });
await arrangeWebhook('disabled', { workspaceId }, { isDisabled: true });
await arrangeWebhook('usage only', { workspaceId }, { eventTypes: ['usage.warning'] });

type PublishedEvent = Parameters<typeof publish>[2];

const alertOf = (workspaceId: string, tenantId: string) => {
  const at = '2026-05-01T12:00:00.000Z';
  const alert = { id: randomUUID(), threshold: 6, observed: 7, windowStart: at, createdAt: at };
  const data = { workspaceId, tenantId, keyId: randomUUID(), keyKind: 'game', ...alert } as const;
  return { type: 'alert.rate_spike', data } as const;
};

/** Publishes an event. Returns the names of the webhooks that have a delivery, and its body. */
async function publishAndRead(event: PublishedEvent) {
  await app.owner.query('DELETE FROM webhook_deliveries');
  await database.transaction((transaction) => publish(services, transaction, event));
  const { rows } = await app.owner.query(
    `SELECT delivery.webhook_id, body, job.data, job.group_id FROM webhook_deliveries delivery
     JOIN pgboss.job ON job.data->>'deliveryId' = delivery.id::text AND job.name = 'webhook-delivery'`,
  );
  for (const row of rows) {
    assert.equal(row.group_id, row.webhook_id);
    assert.equal(row.data.turn, 1);
  }
  return { names: rows.map((row) => webhooks.get(row.webhook_id)).toSorted(), body: rows[0]?.body };
}

describe('publish', () => {
  test('creates deliveries for subscribed webhooks of the tenant, workspace and deployment', async () => {
    const alert = alertOf(workspaceId, tenantId);
    const { names, body } = await publishAndRead(alert);
    assert.deepEqual(names, ['deployment', 'tenant', 'workspace']);
    const { timestamp, ...rest } = JSON.parse(body);
    assert.deepEqual(rest, alert);
    assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 60_000);

    const usage = await publishAndRead(usageWarning(workspaceId));
    assert.deepEqual(usage.names, ['deployment', 'usage only', 'workspace']);
    const other = alertOf(stranger.workspaceId, stranger.tenantId);
    assert.deepEqual((await publishAndRead(other)).names, ['deployment', 'stranger']);
  });

  test('works in a tenant scope and creates nothing if the transaction fails', async () => {
    const event = alertOf(workspaceId, tenantId);
    const count = async () =>
      (await app.owner.query('SELECT count(*)::int AS count FROM webhook_deliveries')).rows[0].count;
    const before = await count();
    const failing = database.forTenant(tenantId).transaction(async (transaction) => {
      await publish(services, transaction, event);
      throw new Error('rolled back');
    });
    await assert.rejects(failing, /rolled back/);
    assert.equal(await count(), before);
    await database.forTenant(tenantId).transaction((transaction) => publish(services, transaction, event));
    assert.equal(await count(), before + 3);
  });
});
