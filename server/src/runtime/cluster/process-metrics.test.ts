import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from '../../processes/channel.ts';
import { createProcessMetrics } from './process-metrics.ts';

test('a scrape shows each process, even if another scrape begins meanwhile', async () => {
  const answersAfter = (ms: number) =>
    ({ request: (): Promise<unknown> => sleep(ms, []), close() {} }) as unknown as Channel;
  const metrics = createProcessMetrics(() => [
    { number: 1, channel: answersAfter(50) },
    { number: 2, channel: answersAfter(100) },
  ]);
  const first = metrics.read();
  await sleep(75);
  const texts = await Promise.all([first, metrics.read()]);
  for (const text of texts) assert.match(text, /process_up\{process="1"\} 1\n.*process_up\{process="2"\} 1/s);
});
