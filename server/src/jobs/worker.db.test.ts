import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import { pino } from 'pino';
import { eventually } from '../testing/eventually.ts';
import { startTestApp } from '../testing/test-app.ts';
import { startWorker } from './worker.ts';

const app = await startTestApp();
/** Looks for jobs of dead workers when the test says so. */
const boss = new PgBoss({
  connectionString: app.databaseUrl,
  max: 1,
  supervise: false,
  schedule: false,
  superviseIntervalSeconds: 1,
  monitorIntervalSeconds: 1,
});
boss.on('error', () => {});
await boss.start();
after(() => boss.stop({ graceful: false }));

const NAME = 'long-job';
const logger = pino({ level: 'silent' });
const stateOf = async (): Promise<string> =>
  (await app.owner.query('SELECT state FROM pgboss.job WHERE name = $1', [NAME])).rows[0].state;
const moveBack = (column: string) =>
  app.owner.query(`UPDATE pgboss.job SET ${column} = ${column} - interval '2 hours' WHERE name = $1`, [NAME]);

test('a scheduled job may take hours, and is retried soon if its worker has died', async (context) => {
  const ended = Promise.withResolvers<void>();
  let runs = 0;
  const run = (): Promise<void> => {
    runs++;
    return ended.promise;
  };
  const work = () =>
    startWorker(app.databaseUrl, { scheduled: [{ name: NAME, cron: '0 0 1 1 *', run }], queued: [] }, logger);
  // The first worker creates the queue. The second one finds its job at once.
  await (await work()).stop();
  await boss.send(NAME, {}, { retryLimit: 5 });
  const worker = await work();
  context.after(() => {
    ended.resolve();
    return worker.stop();
  });
  await eventually(() => runs === 1);

  await moveBack('started_on');
  for (let look = 0; look < 3; look++) {
    await boss.supervise(NAME);
    await sleep(1_100);
  }
  assert.equal(await stateOf(), 'active');

  await moveBack('heartbeat_on');
  await eventually(async () => {
    await boss.supervise(NAME);
    return (await stateOf()) !== 'active';
  });
});
