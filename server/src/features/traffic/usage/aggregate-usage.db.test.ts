import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import { openJobs } from '../../../jobs/queue.ts';
import { arrangeAccount, arrangeTenant } from '../../../testing/arrange.ts';
import { avoidEndOf } from '../../../testing/avoid-end-of.ts';
import { billingOf } from '../../../testing/billing-of.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';
import { aggregateUsage } from './aggregate-usage.ts';
import { findQuota } from './queries.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl);
const jobs = await openJobs(database);
after(async () => {
  await jobs.close();
  await database.close();
});
const services = { database, jobs, vault };
const aggregate = () => aggregateUsage(services);

/** A tenant in a workspace with a plan. The month does not change during its test. */
async function arrangePayer(monthlyUnits: number | null = null) {
  await avoidEndOf('month');
  const tenant = await arrangeTenant(app);
  const { workspaceId, tenantId } = tenant;
  await app.owner.query('UPDATE workspaces SET monthly_units = $2 WHERE id = $1', [
    workspaceId,
    monthlyUnits,
  ]);
  const billing = await billingOf(app.owner, tenant);
  return {
    tenant,
    workspaceId,
    tenantId,
    keyId: billing.keyId,
    charge: async (units: number) => {
      await database.run(
        sql`SELECT guildhall_charge(${workspaceId}, ${tenantId}, ${billing.keyId}, ${units})`,
      );
    },
    used: async () => (await findQuota(database.forWorkspace(workspaceId), workspaceId))!.used,
    warnings: async () =>
      (
        await app.owner.query(
          'SELECT monthly_units::int AS plan, percent FROM usage_warnings WHERE workspace_id = $1 ORDER BY 1, 2',
          [workspaceId],
        )
      ).rows.map(({ plan, percent }) => `${percent} % of ${plan}`),
    scope: database.forKey(billing),
  };
}

describe('usage', () => {
  test('is exact at any time during charges and aggregation', async () => {
    const payer = await arrangePayer();
    let [begun, done, readings] = [0, 0, 0];
    let over = false;
    const charging = Promise.all(
      Array.from({ length: 6 }, async () => {
        // On a busy machine, readings may be slower than charges.
        for (let turn = 0; turn < 60 || (readings <= 20 && !over); turn++) {
          begun++;
          await payer.scope.run(sql`SELECT 1`);
          done++;
        }
      }),
    ).finally(() => (over = true));
    const aggregating = Promise.all(
      Array.from({ length: 3 }, async () => {
        while (!over) await aggregate();
      }),
    );
    try {
      while (!over) {
        const atLeast = done;
        const used = await payer.used();
        assert.ok(atLeast <= used && used <= begun, `${used} is not within ${atLeast} and ${begun}`);
        readings++;
      }
    } finally {
      over = true;
      await Promise.all([charging, aggregating]);
    }
    assert.equal(await payer.used(), done);
    await aggregate();
    assert.equal(await payer.used(), done);
    const left = await app.owner.query('SELECT FROM usage_entries WHERE workspace_id = $1', [
      payer.workspaceId,
    ]);
    assert.equal(left.rowCount, 0);
  });

  test('is aggregated in limited steps', async () => {
    await aggregate();
    const payer = await arrangePayer(12);
    const entries = async () => (await app.owner.query('SELECT FROM usage_entries')).rowCount;
    for (let units = 0; units < 12; units++) await payer.charge(1);
    assert.equal(await entries(), 12);
    await aggregateUsage(services, 1);
    assert.equal(await entries(), 2);
    assert.equal(await payer.used(), 12);
    assert.deepEqual(await payer.warnings(), ['75 % of 12']);
    await aggregateUsage(services, 1);
    assert.equal(await entries(), 0);
    assert.equal(await payer.used(), 12);
    assert.deepEqual(await payer.warnings(), ['75 % of 12', '90 % of 12', '100 % of 12']);
  });

  test('belongs to the UTC day on which it was charged', async () => {
    const payer = await arrangePayer();
    for (const at of ['2026-02-28T23:59:59.999999Z', '2026-03-01T00:00:00Z', '2026-03-01T23:59:59Z'])
      await app.owner.query('INSERT INTO usage_entries VALUES ($1, $2, $3, $4, 1)', [
        payer.workspaceId,
        payer.tenantId,
        payer.keyId,
        at,
      ]);
    await aggregate();
    const { rows } = await app.owner.query(
      'SELECT day::text, units::int FROM usage_totals WHERE workspace_id = $1 ORDER BY day',
      [payer.workspaceId],
    );
    assert.deepEqual(rows, [
      { day: '2026-02-28', units: 1 },
      { day: '2026-03-01', units: 2 },
    ]);
  });

  test('is the same in the totals of days and of keys, after any number of steps', async () => {
    await aggregate();
    const payers = [await arrangePayer(), await arrangePayer()];
    await app.owner.query(
      `INSERT INTO usage_entries
       SELECT (ARRAY[$1, $2]::uuid[])[1 + random(0, 1)], gen_random_uuid(), gen_random_uuid(),
              timestamptz '2026-02-28T00:00:00Z' + random() * interval '2 days', random(0, 9), random(0, 99), random(0, 99)
       FROM generate_series(1, 40)`,
      payers.map(({ workspaceId }) => workspaceId),
    );
    for (let step = 0; step < 2; step++) await aggregateUsage(services, 3);
    const totals = async (of: string) =>
      (
        await app.owner.query(
          `SELECT workspace_id, day::text, units::int, bytes_in::int, bytes_out::int FROM (${of}) total
           WHERE workspace_id = ANY ($1) ORDER BY workspace_id, day`,
          [payers.map(({ workspaceId }) => workspaceId)],
        )
      ).rows;
    const ofKeys = await totals(
      `SELECT workspace_id, day, sum(units) AS units, sum(bytes_in) AS bytes_in, sum(bytes_out) AS bytes_out
       FROM usage_totals GROUP BY workspace_id, day`,
    );
    assert.ok(ofKeys.length > 0);
    assert.deepEqual(await totals('SELECT * FROM usage_days'), ofKeys);
  });

  test('does not include a transaction that failed', async () => {
    const payer = await arrangePayer();
    await assert.rejects(payer.scope.run(sql`SELECT 1 / 0`), /division by zero/);
    await assert.rejects(
      payer.scope.transaction(async (transaction) => {
        await transaction.run(sql`SELECT 1`);
        throw new Error('changed my mind');
      }),
      /changed my mind/,
    );
    assert.equal(await payer.used(), 0);
  });
});

describe('usage warnings', () => {
  test('are sent at 75, 90 and 100 %, once for each period and plan', async () => {
    const payer = await arrangePayer(200);
    await payer.charge(149);
    await aggregate();
    assert.deepEqual(await payer.warnings(), []);
    await payer.charge(1);
    await Promise.all([aggregate(), aggregate(), aggregate()]);
    await aggregate();
    assert.deepEqual(await payer.warnings(), ['75 % of 200']);
    await payer.charge(29);
    await aggregate();
    assert.deepEqual(await payer.warnings(), ['75 % of 200']);
    await payer.charge(100);
    await aggregate();
    assert.deepEqual(await payer.warnings(), ['75 % of 200', '90 % of 200', '100 % of 200']);
    await app.owner.query('UPDATE workspaces SET monthly_units = 370 WHERE id = $1', [payer.workspaceId]);
    await payer.charge(1);
    await aggregate();
    assert.deepEqual((await payer.warnings()).slice(3), ['75 % of 370']);
  });

  test('reach the team and the webhooks, with the highest percentage only', async () => {
    const payer = await arrangePayer(10);
    await app.owner.query(`UPDATE workspaces SET name = 'Harbor Games' WHERE id = $1`, [payer.workspaceId]);
    const owner = await arrangeAccount(app, payer.tenant, 'owner');
    await arrangeAccount(app, payer.tenant, 'viewer');
    await app.owner.query(
      `INSERT INTO webhooks (id, workspace_id, url, secret) VALUES ($1, $2, 'https://example.com', '')`,
      [randomUUID(), payer.workspaceId],
    );
    await payer.charge(12);
    await aggregate();
    await payer.charge(1);
    await aggregate();
    const notifications = await app.owner.query(
      'SELECT account_id, type, title, text, data FROM notifications',
    );
    assert.equal(notifications.rowCount, 1);
    const [{ account_id, type, title, text, data }] = notifications.rows;
    assert.deepEqual(
      [account_id, type, title],
      [owner.accountId, 'usage.warning', '100 % of the units of the workspace “Harbor Games” are used'],
    );
    assert.match(
      text,
      /^The workspace “Harbor Games” has used 12 of 10 units of this month\. The next period begins on \d{4}-\d\d-01\.$/,
    );
    assert.deepEqual([data.percent, data.used, data.limit], [100, 12, 10]);
    // A subject has no name that a user chose.
    const mails = await app.owner.query('SELECT recipient FROM mails WHERE subject = $1', [
      '100 % of the units of your plan are used',
    ]);
    assert.deepEqual(mails.rows, [{ recipient: `${owner.accountId}@example.com` }]);
    const deliveries = await app.owner.query('SELECT body FROM webhook_deliveries');
    assert.equal(deliveries.rowCount, 1);
    const delivered = JSON.parse(deliveries.rows[0].body);
    assert.equal(delivered.type, 'usage.warning');
    assert.deepEqual(delivered.data, { workspaceId: payer.workspaceId, ...data });
  });

  test('ignore other months and plans without a limit', async () => {
    const [limited, unlimited] = [await arrangePayer(10), await arrangePayer(null)];
    await app.owner.query(`INSERT INTO usage_entries VALUES ($1, $2, $3, now() - interval '2 months', 100)`, [
      limited.workspaceId,
      limited.tenantId,
      limited.keyId,
    ]);
    await limited.charge(1);
    await unlimited.charge(1_000_000);
    await aggregate();
    assert.deepEqual([...(await limited.warnings()), ...(await unlimited.warnings())], []);
  });
});
