import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PgBoss } from 'pg-boss';
import { pino } from 'pino';
import { mailQueue } from '../src/features/messages/mail/send-mail.ts';
import { redeliveryQueue } from '../src/features/messages/webhooks/redeliveries/continue-redelivery.ts';
import { startWorker } from '../src/jobs/worker.ts';
import { eventually } from '../src/testing/eventually.ts';
import { startTestApp } from '../src/testing/test-app.ts';
import { proxyOf } from './faults/faulty-proxy.ts';

const app = await startTestApp();
const proxy = await proxyOf(app.databaseUrl);
/** The worker needs about 8 seconds for them. */
const ATTEMPTS = 20;

test('a worker logs once that the database is unavailable, and again after it was available', async (context) => {
  const lines: string[] = [];
  let jobs = 0;
  const run = async () => void jobs++;
  const queued = [mailQueue, redeliveryQueue].map((queue) => ({ queue, run }));
  const logger = pino({}, { write: (line) => void lines.push(line) });
  const worker = await startWorker(proxy.url, { scheduled: [], queued }, logger);
  const boss = new PgBoss({ connectionString: app.databaseUrl, max: 1, supervise: false, schedule: false });
  boss.on('error', () => {});
  await boss.start();
  context.after(() => Promise.all([worker.stop(), boss.stop({ graceful: false })]));

  for (let outage = 1; outage <= 2; outage++) {
    await boss.send(mailQueue.name, { mailId: 'any' });
    await eventually(() => jobs === outage);
    const before = proxy.refused();
    proxy.begin('reset');
    await eventually(() => proxy.refused() >= before + ATTEMPTS);
    proxy.end();
    const failures = lines.filter((line) => line.includes('job queue failed'));
    assert.equal(failures.length, outage, lines.join(''));
  }
});
