import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { firstIdAt } from '../../../core/ids.ts';
import { secondsFromNow } from '../../../core/timestamps.ts';
import { openDatabase } from '../../../database/database.ts';
import { openJobs } from '../../../jobs/queue.ts';
import { arrangeAccount, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';
import type { Spike } from './queries.ts';
import { alertQueue, raiseAlert } from './raise-alert.ts';
import { dispatchAlert } from './dispatch-alert.ts';

const app = await startTestApp();
/** Each process has its own connections. */
const processes = await Promise.all(
  Array.from({ length: 3 }, async () => {
    const database = openDatabase(app.databaseUrl, { poolSize: 6 });
    return { database, vault, issuer: app.issuer, jobs: await openJobs(database) };
  }),
);
test.after(async () => {
  for (const { jobs, database } of processes) {
    await jobs.close();
    await database.close();
  }
});
const first = processes[0]!;
const HOUR = 3600;

async function arrangeSpike() {
  const tenant = await arrangeTenant(app);
  const { rows } = await app.owner.query(
    `SELECT id FROM tenant_keys WHERE tenant_id = $1 AND kind = 'game'`,
    [tenant.tenantId],
  );
  const spike: Spike = {
    type: 'rate_spike',
    keyId: rows[0].id,
    keyKind: 'game',
    tenantId: tenant.tenantId,
    workspaceId: tenant.workspaceId,
    threshold: 60_000,
    observed: 60_001,
    windowStart: new Date().toISOString(),
  };
  return { tenant, spike };
}
const alertsOf = async ({ tenantId }: { tenantId: string }) =>
  (await app.owner.query('SELECT id, type FROM alerts WHERE tenant_id = $1 ORDER BY id', [tenantId])).rows;
const jobsOf = async ({ tenantId }: { tenantId: string }) =>
  (
    await app.owner.query(
      `SELECT data->>'alertId' AS id FROM pgboss.job WHERE name = $1 AND data->>'tenantId' = $2`,
      [alertQueue.name, tenantId],
    )
  ).rows.map(({ id }) => id);

describe('raiseAlert', () => {
  test('raises one alert with one job when several processes call it at once', async () => {
    for (let round = 0; round < 5; round++) {
      const { spike } = await arrangeSpike();
      const raised = await Promise.all(
        Array.from({ length: 18 }, (_, index) => raiseAlert(processes[index % 3]!, HOUR, spike)),
      );
      assert.equal(raised.filter(Boolean).length, 1);
      const alerts = await alertsOf(spike);
      assert.equal(alerts.length, 1);
      assert.deepEqual(await jobsOf(spike), [alerts[0].id]);
    }
  });

  test('raises the next alert after the suppression time, separately by type and key', async () => {
    const { spike } = await arrangeSpike();
    const raise = (more: Partial<Spike> = {}) => raiseAlert(first, HOUR, { ...spike, ...more });
    assert.equal(await raise(), true);
    assert.equal(await raise(), false);
    assert.equal(await raise({ type: 'payload_spike' }), true);
    const { rows } = await app.owner.query(
      `SELECT id FROM tenant_keys WHERE tenant_id = $1 AND kind = 'api'`,
      [spike.tenantId],
    );
    assert.equal(await raise({ keyId: rows[0].id, keyKind: 'api' }), true);
    const age = (seconds: number) =>
      app.owner.query(
        `UPDATE alert_times SET raised_at = now() - make_interval(secs => $2) WHERE tenant_id = $1`,
        [spike.tenantId, seconds],
      );
    await age(HOUR - 5);
    assert.equal(await raise(), false);
    await age(HOUR);
    assert.equal(await raise(), true);
    assert.equal(await raise(), false);
    assert.equal((await alertsOf(spike)).length, 4);
    // The clocks of two processes, or two statements, differ a little.
    await age(-60);
    assert.equal(await raise(), false);
    // The clock of PostgreSQL was wrong, and was set back.
    await age(-HOUR - 60);
    assert.equal(await raise(), true);
  });

  test('raises 100 alerts of a workspace in an hour, and those of others', async () => {
    const { spike } = await arrangeSpike();
    const times = Array.from({ length: 100 }, (_, index) => secondsFromNow(-36 * (index + 1)));
    await app.owner.query(
      `INSERT INTO alerts (tenant_id, id, workspace_id, type, key_id, key_kind, threshold, observed, window_start, created_at)
       SELECT $1, id, $2, 'rate_spike', $3, 'game', 1, 2, time, time FROM unnest($4::uuid[], $5::timestamptz[]) alert (id, time)`,
      [spike.tenantId, spike.workspaceId, spike.keyId, times.map((time) => firstIdAt(time, 0)), times],
    );
    // The oldest of the 100 is an hour old.
    const count = async () => (await alertsOf(spike)).length;
    await raiseAlert(first, 0, spike);
    assert.equal(await count(), 101);
    assert.equal(await raiseAlert(first, 0, spike), true);
    assert.equal(await count(), 101);
    assert.equal(await raiseAlert(first, 0, (await arrangeSpike()).spike), true);
    await app.owner.query(
      'UPDATE alerts SET created_at = created_at - make_interval(secs => 60) WHERE tenant_id = $1',
      [spike.tenantId],
    );
    await raiseAlert(first, 0, spike);
    assert.equal(await count(), 102);
  });

  test('adds no job and suppresses nothing when the alert cannot be recorded', async () => {
    const { spike } = await arrangeSpike();
    const broken = { ...first, jobs: { ...first.jobs, add: () => Promise.reject(new Error('no queue')) } };
    await assert.rejects(raiseAlert(broken, HOUR, spike), /no queue/);
    assert.deepEqual(await alertsOf(spike), []);
    assert.equal(await raiseAlert(first, HOUR, spike), true);
  });
});

describe('dispatchAlert', () => {
  test('says the bytes of a payload spike in the units of the console', async () => {
    const { tenant, spike } = await arrangeSpike();
    await arrangeAccount(app, tenant, 'owner');
    await raiseAlert(first, HOUR, { ...spike, type: 'payload_spike', threshold: 65_536, observed: 100_000 });
    const [{ id: alertId }] = await alertsOf(spike);
    await dispatchAlert(first, { tenantId: tenant.tenantId, alertId });
    const { rows } = await app.owner.query('SELECT text FROM notifications WHERE workspace_id = $1', [
      tenant.workspaceId,
    ]);
    assert.match(rows[0].text, / sent 97\.7 KiB \(100,000 bytes\) in one minute\. Threshold: 64 KiB\. /);
  });

  test('notifies once, even if its job runs several times in several processes', async () => {
    const { tenant, spike } = await arrangeSpike();
    const owner = await arrangeAccount(app, tenant, 'owner');
    await arrangeAccount(app, tenant, 'viewer');
    for (const tenantId of [null, tenant.tenantId])
      await app.owner.query(
        `INSERT INTO webhooks (id, workspace_id, tenant_id, url, secret) VALUES ($1, $2, $3, 'https://example.com', '')`,
        [randomUUID(), tenant.workspaceId, tenantId],
      );
    await raiseAlert(first, HOUR, spike);
    const [{ id: alertId }] = await alertsOf(spike);
    const job = { tenantId: tenant.tenantId, alertId };

    const failing = {
      ...first,
      jobs: { ...first.jobs, addAll: () => Promise.reject(new Error('no queue')) },
    };
    await assert.rejects(dispatchAlert(failing, job), /no queue/);
    await Promise.all(Array.from({ length: 9 }, (_, index) => dispatchAlert(processes[index % 3]!, job)));
    await dispatchAlert(first, job);

    const { rows: notifications } = await app.owner.query(
      'SELECT account_id, type, title, text, data, tenant_id FROM notifications WHERE workspace_id = $1',
      [tenant.workspaceId],
    );
    assert.equal(notifications.length, 1);
    const [{ data, title, text, ...rest }] = notifications;
    assert.deepEqual(rest, {
      account_id: owner.accountId,
      type: 'alert.rate_spike',
      tenant_id: tenant.tenantId,
    });
    assert.match(title, /^Rate spike: the game key “test” of /);
    assert.match(
      text,
      /^The game key “test” of .* sent 60,001 requests in one minute\. Threshold: 60,000\. An alert refuses no requests\.$/,
    );
    const { workspaceId: _, tenantId: __, type: ___, ...facts } = spike;
    assert.deepEqual(
      { ...data, windowStart: Date.parse(data.windowStart) },
      {
        ...facts,
        windowStart: Date.parse(facts.windowStart),
        id: alertId,
        createdAt: data.createdAt,
      },
    );
    const { rows: mails } = await app.owner.query('SELECT subject FROM mails WHERE recipient = $1', [
      `${owner.accountId}@example.com`,
    ]);
    assert.deepEqual(mails, [{ subject: 'Rate spike on a game key' }]);
    const { rows: deliveries } = await app.owner.query(
      `SELECT body FROM webhook_deliveries delivery JOIN webhooks endpoint ON endpoint.id = delivery.webhook_id
     WHERE endpoint.workspace_id = $1`,
      [tenant.workspaceId],
    );
    assert.equal(deliveries.length, 2);
    const body = JSON.parse(deliveries[0].body);
    assert.deepEqual([body.type, body.timestamp], ['alert.rate_spike', data.createdAt]);
    assert.deepEqual(body.data, { workspaceId: tenant.workspaceId, tenantId: tenant.tenantId, ...data });
  });
});
