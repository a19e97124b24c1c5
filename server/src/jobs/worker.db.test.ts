import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import { pino } from 'pino';
import { register } from 'prom-client';
import { startDatabaseProxy } from '../../acceptance/database-proxy.ts';
import { openDatabase } from '../database/database.ts';
import { eventually } from '../testing/eventually.ts';
import { startTestApp } from '../testing/test-app.ts';
import { startQueueConsumer } from './queue-consumer.ts';
import { openJobs, type NewJob } from './queue.ts';
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
const SETTINGS = { retryDelay: 1, retryDelayMax: 1, retryLimit: 1, expireInSeconds: 60 };
const logger = pino({ level: 'silent' });
const stateOf = async (name = NAME): Promise<string> =>
  (await app.owner.query('SELECT state FROM pgboss.job WHERE name = $1', [name])).rows[0].state;
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

test('a scheduled job that fails is logged as an error, counted, and retried', async (context) => {
  const name = 'failing-job';
  const lines: string[] = [];
  const run = () => Promise.reject(new Error('The disk is full.'));
  const work = () =>
    startWorker(
      app.databaseUrl,
      { scheduled: [{ name, cron: '0 0 1 1 *', run }], queued: [] },
      pino({}, { write: (line) => void lines.push(line) }),
    );
  await (await work()).stop();
  assert.equal(await failuresOf(name), 0, 'the series exists before the first failure');
  await boss.send(name, {}, { retryLimit: 5, retryDelay: 600 });
  const worker = await work();
  context.after(() => worker.stop());
  await eventually(() => lines.some((line) => line.includes('scheduled job failed')));
  const { level, job, err } = JSON.parse(lines.find((line) => line.includes('scheduled job failed'))!);
  assert.deepEqual([level, job, err.message], [50, name, 'The disk is full.']);
  assert.equal(await failuresOf(name), 1);
  await eventually(async () => (await stateOf(name)) === 'retry');
});

test('a scheduled job that a stop interrupts is no error, and is retried', async () => {
  const name = 'interrupted-job';
  const lines: string[] = [];
  const interruption = Promise.withResolvers<void>();
  let isRunning = false;
  const run = (): Promise<void> => {
    isRunning = true;
    return interruption.promise;
  };
  const work = () =>
    startWorker(
      app.databaseUrl,
      { scheduled: [{ name, cron: '0 0 1 1 *', run }], queued: [] },
      pino({}, { write: (line) => void lines.push(line) }),
    );
  await (await work()).stop();
  await boss.send(name, {}, { retryLimit: 5, retryDelay: 600 });
  const worker = await work();
  await eventually(() => isRunning);
  const stopped = worker.stop();
  interruption.reject(new Error('The pool is closed.'));
  await stopped;
  const entries = lines.map((line) => JSON.parse(line)).filter((entry) => entry.job === name);
  assert.deepEqual(
    entries.map(({ level, msg, reason }) => [level, msg, reason]),
    [[40, 'scheduled job failed during the stop', 'The pool is closed.']],
  );
  assert.equal(await stateOf(name), 'retry');
});

test('runs schedules and looks for dead workers after the clock of PostgreSQL was set back', async (context) => {
  const work = () =>
    startWorker(
      app.databaseUrl,
      { scheduled: [{ name: NAME, cron: '0 0 1 1 *', run: async () => {} }], queued: [] },
      logger,
    );
  await (await work()).stop();
  await app.owner.query(`UPDATE pgboss.version SET cron_on = now() + interval '1 day'`);
  await app.owner.query(`UPDATE pgboss.queue SET monitor_claim_on = now() + interval '1 day'`);
  const worker = await work();
  context.after(() => worker.stop());
  await eventually(async () => {
    const { rows } = await app.owner.query(
      `SELECT FROM pgboss.version, pgboss.queue WHERE coalesce(greatest(cron_on, monitor_claim_on) > now(), false)`,
    );
    return rows.length === 0;
  });
});

test('logs one line when the database fails, and one when it works again', async (context) => {
  const proxy = await startDatabaseProxy(app.databaseUrl);
  const lines: string[] = [];
  const queue = { ...SETTINGS, name: 'outage' };
  await boss.createQueue(queue.name);
  const worker = await startWorker(
    proxy.url,
    { scheduled: [], queued: [{ queue, run: async () => {} }] },
    pino({}, { write: (line) => void lines.push(JSON.parse(line).msg) }),
  );
  context.after(() => worker.stop());
  proxy.refuse();
  await eventually(() => lines.length > 0);
  // Each second, the queue is polled again.
  await sleep(2_500);
  assert.deepEqual(lines, ['job queue failed']);
  proxy.open();
  await eventually(() => lines.length > 1);
  await sleep(2_500);
  assert.deepEqual(lines, ['job queue failed', 'job queue works again']);
});

test('starts a job when its transaction commits, and does not wait for the next poll', async (context) => {
  const queueOf = (name: string) => ({ ...SETTINGS, name });
  const [chain, idle] = [queueOf('chain'), queueOf('idle')];
  for (const { name } of [chain, idle]) await boss.createQueue(name);
  const database = openDatabase(app.databaseUrl, { poolSize: 1 });
  const jobs = await openJobs(database);
  const add = () => database.transaction((transaction) => jobs.add(transaction, chain, {}));
  let runs = 0;
  let polls = 0;
  const polled = startQueueConsumer(boss, { queue: idle }, async () => undefined, {
    failed: assert.ifError,
    fetched: () => void polls++,
  });
  // Each job adds the next one. With polls alone, each would wait for a poll.
  const run = async () => void (++runs < 40 && (await add()));
  const worker = await startWorker(
    app.databaseUrl,
    { scheduled: [], queued: [{ queue: chain, run }] },
    logger,
  );
  context.after(async () => {
    await Promise.all([worker.stop(), polled.stop(0)]);
    await jobs.close();
    await database.close();
  });
  await add();
  await eventually(() => runs === 40);
  assert.ok(polls < 20, `${polls} polls`);
});

test('a commit notifies the workers of jobs that may start now, and not of delayed jobs', async (context) => {
  const queue = { ...SETTINGS, name: 'sometimes' };
  await boss.createQueue(queue.name);
  const listener = await app.owner.connect();
  const heard: string[] = [];
  listener.on('notification', ({ payload = '' }) => heard.push(payload));
  await listener.query('LISTEN guildhall_jobs');
  const database = openDatabase(app.databaseUrl, { poolSize: 1 });
  const jobs = await openJobs(database);
  context.after(async () => {
    listener.release(true);
    await jobs.close();
    await database.close();
  });
  const startsAt = new Date(Date.now() + 3_600_000).toISOString();
  const add = (...added: NewJob<object>[]) =>
    database.transaction((transaction) => jobs.addAll(transaction, queue, added));
  await add({ data: {}, startsAt });
  await add();
  await app.owner.query(`NOTIFY guildhall_jobs, 'between'`);
  await add({ data: {}, startsAt }, { data: {} });
  await eventually(() => heard.length === 2);
  assert.deepEqual(heard, ['between', 'sometimes']);
});

async function failuresOf(queue: string): Promise<number | undefined> {
  const metric = await register.getSingleMetric('guildhall_job_duration_seconds')!.get();
  const values = metric.values as { value: number; metricName?: string; labels: Record<string, unknown> }[];
  return values.find(
    ({ metricName, labels }) =>
      metricName === 'guildhall_job_duration_seconds_count' &&
      labels['queue'] === queue &&
      labels['result'] === 'failed',
  )?.value;
}
