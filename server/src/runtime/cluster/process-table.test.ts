import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Drain } from '../../http/draining.ts';
import { createProcessTable, type LaunchOptions, type ProcessTableOptions } from './process-table.ts';
import type { ServingProcess } from './launch-serving-process.ts';
import type { Ready } from './serving-process.ts';

/** A process that was launched, and what the test lets it do. */
interface Launched extends ServingProcess {
  number: number;
  options: LaunchOptions;
  stops: Drain[];
  answer(): Promise<unknown>;
  fail(): Promise<unknown>;
  end(reason: string): Promise<unknown>;
}

const READY: Ready = { url: 'http://127.0.0.1:1', reference: undefined };
const FIRST: LaunchOptions = { prepare: true, mayCreateDemo: true };
const LATER: LaunchOptions = { prepare: false, mayCreateDemo: false };
const STOP: Drain = { reason: 'stop', drainMs: 0 };

/** Waits until all promises that can be settled are. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn++) await nextTurn();
};

/** A table whose processes do only what the test says, and whose pauses end when the test says. */
function arrangeTable(context: TestContext, processes = 2) {
  // The imports of node:timers/promises change only after the synchronisation.
  context.mock.timers.enable({ apis: ['setTimeout'] });
  syncBuiltinESMExports();
  context.after(() => {
    context.mock.timers.reset();
    syncBuiltinESMExports();
  });
  let now = 0;
  context.mock.method(performance, 'now', () => now);
  const launched: Launched[] = [];
  const restarts: number[] = [];
  const logged: object[] = [];
  const launch: ProcessTableOptions['launch'] = (number, options) => {
    const [ready, ended] = [Promise.withResolvers<Ready>(), Promise.withResolvers<string>()];
    ready.promise.catch(() => {});
    const after = (action: () => void) => {
      action();
      return settled();
    };
    const stops: Drain[] = [];
    const process: Launched = {
      number,
      options,
      stops,
      channel: { request: () => Promise.reject(new Error('not used')), close() {} },
      ready: ready.promise,
      ended: ended.promise,
      stop(how) {
        stops.push(how);
        return ended.promise.then(() => {});
      },
      answer: () => after(() => ready.resolve(READY)),
      fail: () => after(() => ready.reject(new Error('HOST is wrong'))),
      end: (reason) =>
        after(() => {
          ready.reject(new Error(reason));
          ended.resolve(reason);
        }),
    };
    launched.push(process);
    return process;
  };
  const error = (details: object, message: string) => logged.push({ ...details, message });
  const log = { error } as unknown as ProcessTableOptions['log'];
  const onRestart = (number: number) => restarts.push(number);
  const table = createProcessTable({ processes, launch, onRestart, log });
  return {
    table,
    launched,
    restarts,
    logged,
    /** Starts all processes, and lets them answer. */
    async startAll() {
      const first = table.start(1, FIRST);
      await launched[0]!.answer();
      assert.equal(await first, READY);
      for (let number = 2; number <= processes; number++) {
        const started = table.tryStart(number);
        await launched[number - 1]!.answer();
        await started;
      }
    },
    async wait(ms: number) {
      now += ms;
      context.mock.timers.tick(ms);
      await settled();
    },
  };
}

describe('createProcessTable', () => {
  test('restarts a process that died after a pause, which grows until the process has answered for a minute', async (context) => {
    const { table, launched, restarts, logged, startAll, wait } = arrangeTable(context);
    await startAll();
    assert.deepEqual([...table.current.keys()], [1, 2]);
    assert.deepEqual(launched[1]!.options, LATER);
    await wait(61_000);
    await launched[1]!.end('was ended by SIGKILL');
    assert.deepEqual([...table.current.keys()], [1], 'a process that has ended gets no connections');
    await wait(999);
    assert.equal(launched.length, 2, 'it waits for a second');
    await wait(1);
    assert.deepEqual([launched[2]!.number, launched[2]!.options], [2, LATER]);
    await launched[2]!.fail();
    await wait(2_000);
    assert.equal(launched.length, 3, 'it waits for the end of the process that has failed');
    await launched[2]!.end('ended with exit code 1');
    await wait(1_999);
    assert.equal(launched.length, 3);
    await wait(1);
    await launched[3]!.answer();
    assert.equal(table.current.get(2), launched[3]);
    await launched[3]!.end('was ended by SIGSEGV');
    await wait(4_000);
    await launched[4]!.answer();
    await wait(61_000);
    await launched[4]!.end('was ended by SIGKILL');
    assert.deepEqual(restarts, [2, 2, 2, 2]);
    assert.deepEqual(logged, [
      { process: 2, nextAttemptInSeconds: 1, message: 'a serving process was ended by SIGKILL' },
      { process: 2, nextAttemptInSeconds: 2, message: 'a serving process cannot start: HOST is wrong' },
      { process: 2, nextAttemptInSeconds: 4, message: 'a serving process was ended by SIGSEGV' },
      { process: 2, nextAttemptInSeconds: 1, message: 'a serving process was ended by SIGKILL' },
    ]);
  });

  test('tryStart() restarts a process that fails at its start, and start() does not', async (context) => {
    const { table, launched, logged, wait } = arrangeTable(context);
    const first = table.start(1, FIRST);
    const failed = assert.rejects(first, /exit code 1/);
    await launched[0]!.end('ended with exit code 1');
    await failed;
    assert.deepEqual(logged, []);
    for (const number of [1, 2]) {
      const started = table.tryStart(number);
      assert.deepEqual(launched[number]!.options, LATER);
      await launched[number]!.end('ended with exit code 1');
      await started;
    }
    const message = 'a serving process cannot start: ended with exit code 1';
    assert.deepEqual(
      logged,
      [1, 2].map((process) => ({ process, nextAttemptInSeconds: 1, message })),
    );
    await wait(1_000);
    assert.deepEqual(
      launched.map(({ number }) => number),
      [1, 1, 2, 1, 2],
    );
  });

  test('replaces one process after another, and only the first prepares the database', async (context) => {
    const { table, launched, startAll } = arrangeTable(context);
    await startAll();
    const replaced = table.replace([1, 2]);
    const again = table.replace([2]);
    await settled();
    assert.deepEqual(
      launched.slice(2).map(({ number, options }) => [number, options]),
      [[1, { prepare: true, mayCreateDemo: false }]],
    );
    assert.equal(table.current.get(1), launched[0], 'the old one serves until the new one answers');
    await launched[2]!.answer();
    assert.equal(table.current.get(1), launched[2]);
    assert.deepEqual(launched[0]!.stops, [{ reason: 'retire', drainMs: 5_000 }]);
    assert.equal(launched.length, 3, 'the next one waits for the end of the old one');
    await launched[0]!.end('ended with exit code 0');
    assert.deepEqual([launched[3]!.number, launched[3]!.options], [2, LATER]);
    await launched[3]!.answer();
    await launched[1]!.end('ended with exit code 0');
    assert.equal(await replaced, true);
    await settled();
    assert.equal(launched.length, 5, 'the second replacement begins after the first');
    await launched[4]!.answer();
    await launched[3]!.end('ended with exit code 0');
    assert.equal(await again, true);
    assert.deepEqual([...table.current.values()], [launched[2], launched[4]]);
  });

  test('keeps the old processes if a new one cannot start', async (context) => {
    const { table, launched, logged, startAll } = arrangeTable(context);
    await startAll();
    const replaced = table.replace([1, 2]);
    await settled();
    await launched[2]!.end('ended with exit code 1');
    assert.equal(await replaced, false);
    assert.equal(launched.length, 3);
    assert.deepEqual([...table.current.values()], launched.slice(0, 2));
    assert.deepEqual(launched[0]!.stops, []);
    assert.deepEqual(logged, [
      {
        reason: 'ended with exit code 1',
        message: 'a serving process cannot be replaced, the old one continues',
      },
    ]);
  });

  test('leaves one process if the old one dies while it is replaced', async (context) => {
    const { table, launched, startAll, wait } = arrangeTable(context);
    await startAll();
    const replaced = table.replace([1]);
    await launched[0]!.end('was ended by SIGKILL');
    await wait(1_000);
    const [replacement, restarted] = launched.slice(2);
    await replacement!.answer();
    assert.equal(await replaced, true);
    await restarted!.answer();
    assert.equal(table.current.get(1), replacement);
    assert.deepEqual(restarted!.stops, [{ reason: 'retire', drainMs: 5_000 }]);
    assert.deepEqual(replacement!.stops, []);
  });

  test('leaves one process if one is replaced while it starts for the first time', async (context) => {
    const { table, launched } = arrangeTable(context);
    const first = table.start(1, FIRST);
    const replaced = table.replace([1]);
    await settled();
    const [leaving, replacement] = launched;
    await replacement!.answer();
    assert.equal(await replaced, true);
    await leaving!.answer();
    assert.equal(await first, READY);
    assert.equal(table.current.get(1), replacement);
    assert.deepEqual(leaving!.stops, [{ reason: 'retire', drainMs: 5_000 }]);
    assert.deepEqual(replacement!.stops, []);
  });

  test('does not restart a process that died if its replacement answers during the pause', async (context) => {
    const { table, launched, startAll, wait } = arrangeTable(context);
    await startAll();
    const replaced = table.replace([1]);
    await launched[0]!.end('was ended by SIGKILL');
    await launched[2]!.answer();
    assert.equal(await replaced, true);
    await wait(1_000);
    assert.equal(launched.length, 3);
  });

  test('does not restart a process that died a second time if its replacement answers before the restarted process fails', async (context) => {
    const { table, launched, logged, startAll, wait } = arrangeTable(context);
    await startAll();
    const replaced = table.replace([1]);
    await launched[0]!.end('was ended by SIGKILL');
    await wait(1_000);
    await launched[2]!.answer();
    assert.equal(await replaced, true);
    await launched[3]!.end('ended with exit code 1');
    await wait(60_000);
    assert.deepEqual([launched.length, logged.length], [4, 1]);
  });

  test('stops all processes, also those that are starting, and starts no process afterwards', async (context) => {
    const { table, launched, logged, startAll, wait } = arrangeTable(context);
    await startAll();
    const replaced = table.replace([1, 2]);
    await launched[1]!.end('was ended by SIGKILL');
    let isStopped = false;
    const stopped = table.stop(STOP).then(() => (isStopped = true));
    assert.deepEqual(
      launched.map(({ stops }) => stops),
      [[STOP], [], [STOP]],
    );
    await launched[2]!.answer();
    await launched[2]!.end('ended with exit code 0');
    assert.equal(isStopped, false, 'it waits for the old process');
    assert.deepEqual(launched[0]!.stops, [STOP], 'a process that drains is not retired');
    await launched[0]!.end('ended with exit code 0');
    await stopped;
    assert.equal(await replaced, true);
    assert.equal(await table.replace([1]), true);
    await wait(60_000);
    assert.equal(launched.length, 3);
    assert.equal(logged.length, 1, 'the end of a stopped process is no failure');
  });
});
