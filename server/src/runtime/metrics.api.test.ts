import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { describe, test } from 'node:test';
import { Registry } from 'prom-client';
import { createPartitions } from '../database/partitions/create-partitions.ts';
import { newId } from '../core/ids.ts';
import { openPool } from '../database/pool.ts';
import { measurePool, measurePools } from '../database/pool-metrics.ts';
import { arrangeAccount, arrangePlan, arrangePlayer, arrangeTenant } from '../testing/arrange.ts';
import { startDatabaseProxy } from '../../acceptance/database-proxy.ts';
import { cloneTestDatabase } from '../testing/databases.ts';
import { eventually } from '../testing/eventually.ts';
import { startTestMailServer } from '../testing/mail-server.ts';
import { someEvents } from '../testing/player-events.ts';
import { parseMetrics, scrape, sumOf, type Series } from '../testing/scrape.ts';
import { startTestApp, startTestWorker } from '../testing/test-app.ts';
import { startWebhookReceiver } from '../testing/webhook-receiver.ts';
import { arrangeWebhook } from '../testing/webhooks.ts';

const app = await startTestApp({ env: { ALLOW_PRIVATE_ADDRESSES: 'on' } });
const tenant = await arrangeTenant(app, { providers: ['Mock', 'EmailOneTimeCode'], autoCreate: true });
const logIn = (body: unknown) => app.http.post('/api/player-auth/login', body, tenant);

/** How much a metric grows during some work. */
async function growthOf(work: () => Promise<unknown>) {
  const before = await scrape(app.http);
  await work();
  // A response is counted after it was sent.
  await scrape(app.http);
  const after = await scrape(app.http);
  return (name: string, labels: Record<string, string>) =>
    sumOf(after, name, labels) - sumOf(before, name, labels);
}

describe('GET /metrics', () => {
  test('counts sign-ins by provider and result', async () => {
    const growth = await growthOf(async () => {
      const good = { provider: 'Mock', token: `mock:${randomUUID()}:secret` };
      assert.equal((await logIn(good)).status, 200);
      assert.equal((await logIn(good)).status, 200);
      assert.equal((await logIn({ provider: 'Mock', token: 'nonsense' })).status, 401);
      assert.equal((await logIn({ provider: 'StoreA', token: 'any' })).body.code, 'provider_not_available');
      assert.equal((await logIn({ provider: `Store${randomUUID()}`, token: 'any' })).status, 400);
      const code = { email: 'ada@example.com', code: '000000' };
      assert.equal((await app.http.post('/api/player-auth/otc/exchange', code, tenant)).status, 401);
    });
    const signIns = (provider: string, result: string) =>
      growth('guildhall_sign_ins_total', { provider, result });
    assert.equal(signIns('Mock', 'success'), 2);
    assert.equal(signIns('Mock', 'invalid_credentials'), 1);
    assert.equal(signIns('StoreA', 'provider_not_available'), 1);
    assert.equal(signIns('unknown', 'invalid_request'), 1);
    assert.equal(signIns('EmailOneTimeCode', 'invalid_credentials'), 1);
    assert.equal(growth('guildhall_problems_total', { code: 'invalid_credentials' }), 2);
  });

  test('counts events by result', async () => {
    const player = await arrangePlayer(app, tenant);
    const send = (events: object[]) => app.http.post('/api/game/player-events', { events }, player.caller);
    const growth = await growthOf(async () => {
      const events = someEvents(player.playerId, 3);
      assert.equal((await send(events)).status, 201);
      assert.equal((await send([...events, { playerId: player.playerId }])).status, 422);
    });
    const counts = ['stored', 'duplicate', 'rejected'].map((result) =>
      growth('guildhall_events_total', { scope: 'player', result }),
    );
    assert.deepEqual(counts, [3, 3, 1]);
  });

  test('counts requests over a quota and over a rate limit', async () => {
    const limited = await arrangeTenant(app);
    await app.owner.query('UPDATE workspaces SET requests_per_minute = 1 WHERE id = $1', [
      limited.workspaceId,
    ]);
    const stopped = await arrangeTenant(app);
    await arrangePlan(app, stopped, { monthlyUnits: 0, hardStop: true });
    const read = () => app.http.get(`/api/player-profiles/${randomUUID()}`, { gameKey: limited.gameKey });
    const growth = await growthOf(async () => {
      for (let request = 0; request < 3; request++) await read();
      const body = { provider: 'Mock', token: `mock:${randomUUID()}:secret` };
      const answer = await app.http.post('/api/player-auth/login', body, stopped);
      assert.equal(answer.body.code, 'quota_exceeded');
    });
    assert.equal(growth('guildhall_problems_total', { code: 'quota_exceeded' }), 1);
    assert.ok(growth('guildhall_rate_limited_requests_total', { kind: 'game' }) >= 1);
    assert.ok(growth('guildhall_problems_total', { code: 'rate_limited' }) >= 1);
  });

  test('counts hits and misses of the caches', async () => {
    const other = await arrangeTenant(app);
    const growth = await growthOf(async () => {
      for (let request = 0; request < 3; request++)
        await app.http.get(`/api/player-profiles/${randomUUID()}`, { gameKey: other.gameKey });
    });
    const [misses, hits] = ['miss', 'hit'].map((result) =>
      growth('guildhall_cache_requests_total', { cache: 'keys', result }),
    ) as [number, number];
    // The notification of the new key may arrive between two requests. Then the key is read again.
    assert.ok(misses === 1 || misses === 2, `${misses} misses`);
    assert.equal(hits, 3 - misses);
  });

  test('shows the age of waiting jobs without a worker, and the attempts of a worker', async () => {
    const receiver = await startWebhookReceiver();
    receiver.answer = (response) => response.writeHead(500).end();
    const owner = await arrangeAccount(app, tenant, 'owner');
    const path = `/api/workspaces/${tenant.workspaceId}/webhooks`;
    const webhook = await arrangeWebhook(app, path, owner, { url: receiver.url });
    const unreachable = await arrangeWebhook(app, path, owner, { url: 'http://127.0.0.1:1/' });
    await app.http.post('/api/player-auth/email/otc', { email: 'ada@example.com' }, tenant);
    await app.owner.query(
      `UPDATE pgboss.job SET start_after = now() - interval '1 hour' WHERE name = 'mail'`,
    );
    await app.owner.query(`
      INSERT INTO pgboss.job (name, start_after) SELECT 'mail', now() + interval '1 hour' FROM generate_series(1, 2)`);
    const waiting = await scrape(app.http);
    assert.equal(sumOf(waiting, 'guildhall_jobs_waiting', { queue: 'mail' }), 1);
    assert.equal(sumOf(waiting, 'guildhall_jobs_delayed', { queue: 'mail' }), 2);
    const age = sumOf(waiting, 'guildhall_oldest_job_seconds', { queue: 'mail' });
    assert.ok(age >= 3600 && age < 3700, String(age));
    assert.equal(sumOf(waiting, 'guildhall_oldest_job_seconds', { queue: 'webhook-delivery' }), 0);

    const mailServer = await startTestMailServer();
    await webhook.test();
    await unreachable.test();
    const growth = await growthOf(async () => {
      const worker = await startTestWorker(app, { SMTP_URL: mailServer.url, ALLOW_PRIVATE_ADDRESSES: 'on' });
      const attempts = async (name: string) => sumOf(await scrape(app.http), name);
      await eventually(async () => (await attempts('guildhall_mails_total')) > 0);
      await eventually(async () => (await attempts('guildhall_webhook_attempts_total')) > 1);
      await worker.stop();
    });
    assert.equal(growth('guildhall_mails_total', { result: 'sent' }), 1);
    // A failed attempt is repeated after 5 seconds.
    assert.ok(growth('guildhall_webhook_attempts_total', { result: 'refused' }) >= 1);
    assert.ok(growth('guildhall_webhook_attempts_total', { result: 'unreachable' }) >= 1);
    assert.equal(growth('guildhall_job_duration_seconds_count', { queue: 'mail', result: 'done' }), 1);
    assert.equal(growth('guildhall_jobs_waiting', { queue: 'mail' }), -1);
  });

  test('shows without a worker that no worker runs, which jobs failed, and the results of the latest mails', async () => {
    const { owner, http } = app;
    await owner.query(`UPDATE pgboss.queue SET monitor_on = NULL, failed_count = 0`);
    const never = sumOf(await scrape(http), 'guildhall_worker_silent_seconds');
    assert.ok(Math.abs(never - process.uptime()) < 10, String(never));
    await owner.query(`UPDATE pgboss.queue SET monitor_on = now() - interval '5 minutes'`);
    await owner.query(
      `UPDATE pgboss.queue SET monitor_on = now() - interval '1 minute', failed_count = 2 WHERE name = 'mail'`,
    );
    await owner.query('DELETE FROM mails');
    await owner.query(`
      INSERT INTO mails (id, recipient, subject, created_at, give_up_at, sent_at, failed_at, failure)
      SELECT gen_random_uuid(), 'ada@example.com', 'Code', now() - age, now(), sent, failed, failure
      FROM (VALUES ('1 minute'::interval, now(), NULL::timestamptz, NULL),
                   ('1 minute', NULL, NULL, '451 later'), ('2 minutes', NULL, NULL, '451 later'),
                   ('1 minute', NULL, now(), '550 unknown'),
                   -- Not attempted yet, above the limit of its budget, and too old.
                   ('1 minute', NULL, NULL, NULL), ('1 minute', NULL, now() - interval '1 minute', 'too many'),
                   ('16 minutes', NULL, now(), '550 unknown')) mail (age, sent, failed, failure)`);
    const metrics = await scrape(http);
    const silent = sumOf(metrics, 'guildhall_worker_silent_seconds');
    assert.ok(silent >= 60 && silent < 120, String(silent));
    assert.equal(sumOf(metrics, 'guildhall_jobs_failed', { queue: 'mail' }), 2);
    const recent = ['sent', 'deferred', 'refused'].map((result) =>
      sumOf(metrics, 'guildhall_recent_mails', { result }),
    );
    assert.deepEqual(recent, [1, 2, 1]);
  });

  test('shows without a worker how many receivers of webhooks cannot be reached', async () => {
    const owner = await arrangeAccount(app, tenant, 'owner');
    const path = `/api/workspaces/${tenant.workspaceId}/webhooks`;
    await app.owner.query('DELETE FROM webhook_deliveries');
    const attempt = (
      webhookId: string,
      ago: string,
      [status, error]: [number | null, string | null],
    ): Promise<unknown> =>
      app.owner.query(
        `INSERT INTO webhook_deliveries (id, webhook_id, event_type, body, last_attempt_at, last_status_code, last_error)
         VALUES ($1, $2, 'webhook.test', '{}', now() - $3::interval, $4, $5)`,
        [newId(), webhookId, ago, status, error],
      );
    const webhooks = await Promise.all(
      Array.from({ length: 5 }, () => arrangeWebhook(app, path, owner, { url: 'http://127.0.0.1:1/' })),
    );
    const [good, recovered, refusing, silent, early] = webhooks.map(({ id }) => id) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const [delivered, refused, unreachable]: [number | null, string | null][] = [
      [204, null],
      [500, 'The endpoint returned status 500.'],
      [null, 'The connection was refused.'],
    ];
    for (let count = 0; count < 3; count++) await attempt(silent, '1 minute', unreachable!);
    await attempt(good, '1 minute', delivered!);
    await attempt(recovered, '2 minutes', delivered!);
    await attempt(recovered, '3 minutes', unreachable!);
    await attempt(refusing, '1 minute', refused!);
    // Too old, and still running.
    await attempt(early, '16 minutes', unreachable!);
    await attempt(early, '1 second', [null, null]);
    const metrics = await scrape(app.http);
    const recent = ['delivered', 'refused', 'unreachable'].map((result) =>
      sumOf(metrics, 'guildhall_recent_webhooks', { result }),
    );
    assert.deepEqual(recent, [2, 1, 1]);
  });

  test('shows the size of the database and the free space of its disk', async () => {
    const embedded = await startTestApp({ env: { DATA_DIR: tmpdir() } });
    const metrics = await scrape(embedded.http);
    assert.ok(sumOf(metrics, 'guildhall_database_bytes') > 1_000_000);
    assert.ok(sumOf(metrics, 'guildhall_disk_free_bytes') > 0);
  });

  test('shows months without a partition', async () => {
    const months = async () =>
      sumOf(await scrape(app.http), 'guildhall_partition_months_ahead', { table: 'logout_ledger' });
    // The database may have been migrated before the end of a month.
    await createPartitions(app.owner);
    assert.equal(await months(), 3);
    const { rows } = await app.owner.query(
      `SELECT inhrelid::regclass AS name FROM pg_inherits
       WHERE inhparent = 'logout_ledger'::regclass ORDER BY inhrelid::regclass::text`,
    );
    for (const { name } of rows.filter(({ name }) => /_\d/.test(name)).slice(-2))
      await app.owner.query(`DROP TABLE ${name}`);
    assert.equal(await months(), 1);
  });

  test('has no label with an id, and no series for an unknown path', async () => {
    const player = await arrangePlayer(app, tenant);
    const sendUnknown = async () => {
      await app.http.get(`/unknown/${randomUUID()}`, player.caller);
      await logIn({ provider: `Store${randomUUID()}`, token: randomUUID() });
      // A response is counted after it was sent.
      await scrape(app.http);
    };
    await sendUnknown();
    const before = await scrape(app.http);
    for (let request = 0; request < 20; request++) await sendUnknown();
    const after = await scrape(app.http);
    const keyOf = ({ name, labels }: Series) => `${name} ${JSON.stringify(labels)}`;
    const known = new Set(before.map(keyOf));
    // Node's own series, for example of garbage collections, appear when they first happen.
    const added = after.map(keyOf).filter((key) => key.startsWith('guildhall_') && !known.has(key));
    assert.deepEqual(added, []);
    const ids = [tenant.tenantId, tenant.workspaceId, tenant.gameKey, player.playerId, player.sessionId];
    const labels = after.flatMap((series) => Object.values(series.labels));
    assert.deepEqual(
      labels.filter((label) => ids.includes(label) || /[0-9a-f]{8}-[0-9a-f]{4}/.test(label)),
      [],
    );
  });

  test('answers while the database is away', async () => {
    const clone = await cloneTestDatabase();
    const proxy = await startDatabaseProxy(clone.url);
    const away = await startTestApp({ databaseUrl: proxy.url });
    assert.equal(sumOf(await scrape(away.http), 'guildhall_database_up'), 1);
    proxy.blackhole('guildhall');
    const lost = await scrape(away.http);
    assert.equal(sumOf(lost, 'guildhall_database_up'), 0);
    for (const unknown of ['oldest_job_seconds', 'worker_silent_seconds', 'database_bytes'])
      assert.ok(
        lost.every(({ name }) => name !== `guildhall_${unknown}`),
        unknown,
      );
    assert.ok(lost.some(({ name }) => name === 'guildhall_http_request_duration_seconds_count'));
    proxy.refuse();
    assert.equal(sumOf(await scrape(away.http), 'guildhall_database_up'), 0);
    proxy.open();
    await eventually(async () => sumOf(await scrape(away.http), 'guildhall_database_up') === 1);
  });
});

describe('measurePools', () => {
  test('shows connections in use and work that waits', async () => {
    const pool = openPool(app.databaseUrl, 'guildhall_app', { poolSize: 1, pipeline: false });
    measurePool('test', pool);
    const registry = new Registry();
    measurePools(registry);
    const read = async (name: string, labels = {}) =>
      sumOf(parseMetrics(await registry.metrics()), `guildhall_database_${name}`, {
        pool: 'test',
        ...labels,
      });
    const first = await pool.connect();
    const second = pool.connect();
    assert.equal(await read('connections', { state: 'used' }), 1);
    assert.equal(await read('waiting_requests'), 1);
    assert.equal(await read('connections_max'), 1);
    first.release();
    (await second).release();
    assert.equal(await read('connections', { state: 'idle' }), 1);
    assert.equal(await read('waiting_requests'), 0);
    await pool.end();
    assert.equal(await read('connections_max'), 0);
  });
});
