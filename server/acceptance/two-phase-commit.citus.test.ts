import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import { arrangeSender } from './arrange.ts';
import { onNode } from './citus-database.ts';
import { eventually } from './eventually.ts';
import { exitOf, spawnCommand, startServer } from './server-process.ts';
import { cluster, createCitusStorage, type CitusNode } from './storage.ts';

/**
 * A batch of events is committed in two phases: a worker prepares it, the coordinator commits, and the worker commits. These tests stop
 * between two of these steps, and kill a node with `kill -9`. To stop a node after its log is on the disk, they let it wait for a standby
 * that does not exist.
 */
const storage = await createCitusStorage(cluster!);
const server = await startServer(storage.options);
const { tenantId, some, sendEvents, readStatuses, usedUnits } = await arrangeSender(server.url);
let stored = 0;
let signIns = 1;

/** Lets a commit on these nodes wait, or continue. */
async function setStandby(nodes: CitusNode, names: '' | 'none'): Promise<void> {
  for (const url of storage.urls[nodes]) {
    await onNode(url, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await onNode(url, 'SELECT pg_reload_conf()');
    const isSet = async () =>
      (await onNode(url, 'SHOW synchronous_standby_names'))[0]!['synchronous_standby_names'];
    await eventually(async () => (await isSet()) === names);
  }
}

/** Waits until a connection with this name or query waits for the standby. */
async function untilStopped(nodes: CitusNode, condition: string): Promise<void> {
  const isStopped = async (url: string): Promise<boolean> =>
    (
      await onNode(
        url,
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep' AND ${condition}`,
      )
    ).length > 0;
  await eventually(
    async () => (await Promise.all(storage.urls[nodes].map(isStopped))).includes(true),
    condition,
  );
}

const untilPrepared = () => untilStopped('workers', `query LIKE 'PREPARE TRANSACTION%'`);
const untilCommitted = () =>
  untilStopped('coordinator', `application_name = 'guildhall guildhall_event_writer'`);

const storedRows = async (): Promise<number> =>
  Number((await storage.query('SELECT count(*) AS count FROM player_events'))[0]!['count']);

const preparedBatches = async (): Promise<number> => {
  const prepared = await Promise.all(
    storage.urls.workers.map((url) =>
      onNode(url, 'SELECT FROM pg_prepared_xacts WHERE database = current_database()'),
    ),
  );
  return prepared.flat().length;
};

/** Sends a batch until it is answered. */
async function resend(batch: object[]): Promise<[stored: number, duplicates: number]> {
  let answer: Awaited<ReturnType<typeof sendEvents>>;
  await eventually(async () => (answer = await sendEvents(batch)) !== undefined);
  return answer!;
}

async function assertCounted(): Promise<void> {
  assert.equal(await storedRows(), stored);
  assert.equal(await usedUnits(), stored + signIns);
  for (const command of ['verify', 'roll-ups check']) {
    const { child, output } = spawnCommand(`${command} --tenant ${tenantId}`, storage.options);
    assert.equal(await exitOf(child), 0, output());
  }
}

afterEach(async () => {
  for (const nodes of ['coordinator', 'workers'] as const) await setStandby(nodes, '');
});
after(async () => {
  await server.end('SIGTERM');
  await storage.remove();
});

describe('a batch of events', { timeout: 600_000 }, () => {
  for (const size of [3, 300]) {
    test(`of ${size} is rolled back if the coordinator dies before its commit, and can be sent again`, async () => {
      const batch = some(size);
      await setStandby('workers', 'none');
      const sent = sendEvents(batch);
      await untilPrepared();
      storage.kill(['coordinator']);
      assert.equal(await sent, undefined);
      await setStandby('workers', '');
      await eventually(async () => (await preparedBatches()) === 1);
      await storage.restart(['coordinator'], { isServerRunning: true });
      await storage.settle();
      assert.equal(await storedRows(), stored);
      assert.deepEqual(await resend(batch), [size, 0]);
      stored += size;
      await assertCounted();
    });

    test(`of ${size} is stored if the coordinator dies after its commit, and is not stored again`, async () => {
      const batch = some(size);
      await setStandby('coordinator', 'none');
      const sent = sendEvents(batch);
      await untilCommitted();
      assert.equal(await preparedBatches(), 1);
      storage.kill(['coordinator']);
      assert.equal(await sent, undefined);
      await storage.restart(['coordinator'], { isServerRunning: true });
      await setStandby('coordinator', '');
      stored += size;
      assert.deepEqual(await resend(batch), [0, size]);
      await storage.settle();
      await assertCounted();
    });

    test(`of ${size} is stored if a worker dies before its commit, and is not stored again`, async () => {
      const batch = some(size);
      await setStandby('coordinator', 'none');
      const sent = sendEvents(batch);
      await untilCommitted();
      assert.equal(await preparedBatches(), 1);
      storage.kill(['workers']);
      await setStandby('coordinator', '');
      assert.deepEqual(await sent, [size, 0]);
      await storage.restart(['workers'], { isServerRunning: true });
      stored += size;
      assert.deepEqual(await resend(batch), [0, size]);
      await storage.settle();
      await assertCounted();
    });
  }
});

describe('while the workers are away', () => {
  test('events and reads of events get 503, and players sign in', async () => {
    storage.kill(['workers']);
    for (const size of [3, 300]) assert.equal(await sendEvents(some(size)), undefined);
    assert.deepEqual(await readStatuses(), [200, 503]);
    await storage.restart(['workers'], { isServerRunning: true });
    const batch = some(300);
    assert.deepEqual(await resend(batch), [300, 0]);
    assert.deepEqual(await readStatuses(), [200, 200]);
    stored += 300;
    signIns += 2;
    await assertCounted();
  });
});
