import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readForScrape } from '../../database/read-for-scrape.ts';
import type { Channel } from '../../processes/channel.ts';
import { openChannelPair } from '../../testing/channel-pair.ts';
import { createProcessMetrics } from './process-metrics.ts';

const channelOf = (request: () => Promise<unknown>) => ({ request, close() {} }) as unknown as Channel;

test('shows the values of each process, guildhall_process_up 0 if it does not answer, and nothing of a process that ended', async () => {
  const metric = {
    name: 'speed',
    help: '-',
    type: 'gauge',
    aggregator: 'omit',
    values: [{ value: 3, labels: {} }],
  };
  const answering = (number: number) => ({ number, channel: channelOf(async () => [metric]) });
  const silent = { number: 2, channel: channelOf(() => Promise.reject(new Error('It does not respond.'))) };
  let processes = [answering(1), silent];
  const metrics = createProcessMetrics(() => processes);
  const text = await metrics.read();
  assert.match(text, /^speed\{process="1"\} 3$/m);
  assert.match(text, /^guildhall_process_up\{process="1"\} 1$/m);
  assert.match(text, /^guildhall_process_up\{process="2"\} 0$/m);
  processes = [answering(3)];
  assert.doesNotMatch(await metrics.read(), /process="[12]"/);
});

test('a scrape shows each process, even if another scrape begins meanwhile', async () => {
  const answersAfter = (ms: number) => channelOf(() => sleep(ms, []));
  const metrics = createProcessMetrics(() => [
    { number: 1, channel: answersAfter(50) },
    { number: 2, channel: answersAfter(100) },
  ]);
  const first = metrics.read();
  await sleep(75);
  const texts = await Promise.all([first, metrics.read()]);
  for (const text of texts) assert.match(text, /process_up\{process="1"\} 1\n.*process_up\{process="2"\} 1/s);
});

test('shows a process that waits for its database', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  // The imports of node:timers/promises change only after the synchronisation.
  syncBuiltinESMExports();
  context.after(() => {
    context.mock.timers.reset();
    syncBuiltinESMExports();
  });
  const asked = Promise.withResolvers<void>();
  const readDatabase = readForScrape(() => new Promise(() => asked.resolve()));
  const { primary } = openChannelPair({ metrics: async () => (await readDatabase()) ?? [] });
  const text = createProcessMetrics(() => [{ number: 1, channel: primary }]).read();
  await asked.promise;
  context.mock.timers.tick(1_000);
  assert.match(await text, /^guildhall_process_up\{process="1"\} 1$/m);
});
