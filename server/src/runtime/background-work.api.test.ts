import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import { startDatabaseProxy } from '../../acceptance/database-proxy.ts';
import { arrangePlayer, arrangeTenant } from '../testing/arrange.ts';
import { emailClient } from '../testing/email-player.ts';
import { eventually } from '../testing/eventually.ts';
import { someEmail } from '../testing/mailbox.ts';
import { someEvents } from '../testing/player-events.ts';
import { startTestApp, startTestWorker } from '../testing/test-app.ts';
import { whileLocked } from '../testing/while-locked.ts';

const app = await startTestApp();
const proxy = await startDatabaseProxy(app.databaseUrl);
await startTestWorker({ databaseUrl: proxy.url });

const isEmpty = async (table: string) =>
  (await app.owner.query(`SELECT FROM ${table} LIMIT 1`)).rowCount === 0;

describe('the worker', () => {
  test('continues after its connections to PostgreSQL became silent, as in a failover', async () => {
    const tenant = await arrangeTenant(app, { providers: ['EmailPassword', 'Mock'], autoCreate: true });
    const { playerId, caller } = await arrangePlayer(app, tenant);
    const { signUp, resetTokenFor } = await emailClient(app);
    const email = someEmail();
    await signUp(email, tenant);
    const workIsDone = async () => {
      const sent = await app.http.post(
        '/api/game/player-events',
        { events: someEvents(playerId, 3) },
        caller,
      );
      assert.equal(sent.status, 201, sent.text);
      assert.match(await resetTokenFor(email, tenant), /^gh_reset_/);
      await eventually(() => isEmpty('usage_entries'));
      await eventually(() => isEmpty('event_rollup_deltas'));
    };
    await workIsDone();
    // The connections of this moment stay silent. New ones work.
    proxy.blackhole('guildhall');
    proxy.open();
    await workIsDone();
  });

  test('stops within 15 seconds while a scheduled job waits', async () => {
    await (await startTestWorker(app)).stop();
    const boss = new PgBoss({ connectionString: app.databaseUrl, max: 1, supervise: false, schedule: false });
    boss.on('error', () => {});
    await boss.start();
    await boss.send('delete-old-mails', {});
    await boss.stop({ graceful: false });
    await whileLocked(
      app,
      async (holder) => void (await holder.query('LOCK TABLE mails')),
      async (waiting) => {
        const worker = await startTestWorker(app);
        await waiting(1);
        assert.ok(await Promise.race([worker.stop().then(() => true), sleep(15_000, false)]));
      },
    );
  });

  test('takes no job while it stops and its continuous work waits', async (context) => {
    const own = await startTestApp();
    const boss = new PgBoss({ connectionString: own.databaseUrl, max: 1, supervise: false, schedule: false });
    boss.on('error', () => {});
    await boss.start();
    context.after(() => boss.stop({ graceful: false }));
    await whileLocked(
      own,
      async (holder) => void (await holder.query('LOCK TABLE usage_entries')),
      async (waiting, release) => {
        const worker = await startTestWorker(own);
        await waiting(1);
        const stopped = worker.stop();
        await sleep(100);
        const id = await boss.send('alert', { tenantId: randomUUID(), alertId: randomUUID() });
        // A queue is polled every second.
        await sleep(1_500);
        const { rows } = await own.owner.query('SELECT state FROM pgboss.job WHERE id = $1', [id]);
        assert.equal(rows[0].state, 'created');
        await release();
        await stopped;
      },
    );
  });
});
