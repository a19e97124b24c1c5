import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { FaultProxy } from './fault-proxy.ts';
import { createRandom } from './random.ts';

const PRODUCER = fileURLToPath(new URL('producer.ts', import.meta.url));

export interface Delivery {
  proxy: FaultProxy;
  gameKey: string;
  events: number;
  seed: number;
  /** How often the producer is killed. */
  kills: number;
  /** Whether events are kept on disk. Without it a kill loses events, and the check must say so. */
  keepsEvents?: boolean;
  /** Called with the number of events that are safe on the device, after each step of the producer. */
  onProgress?(accepted: number): void;
}

export interface DeliveryReport {
  kills: number;
  requests: number;
  faults: Record<string, number>;
}

/** Sends numbered events through a proxy that fails by chance, and kills the sender with SIGKILL at moments by chance. */
export async function deliver({
  proxy,
  gameKey,
  events,
  seed,
  kills,
  keepsEvents = true,
  onProgress,
}: Delivery): Promise<DeliveryReport> {
  const random = createRandom(seed);
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-delivery-'));
  const start = Date.now() - events;
  proxy.requests.length = 0;
  for (const fault of Object.keys(proxy.faults)) delete proxy.faults[fault];
  proxy.randomize({
    match: 'POST /api/',
    seed: seed + 1,
    rates: { delay: 0.1, cut: 0.05, drop_answer: 0.1, cut_answer: 0.05, answer_503: 0.05 },
  });
  /** The events after which the producer is killed. */
  const killAt = Array.from({ length: kills }, () => Math.floor(random() * events)).toSorted((a, b) => a - b);
  let accepted = 0;
  let killed = 0;

  function run(): Promise<boolean> {
    const options = {
      url: proxy.url,
      'game-key': gameKey,
      storage: join(folder, 'events'),
      'keep-events': keepsEvents ? 'yes' : 'no',
      from: accepted,
      to: events,
      start,
    };
    const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = spawn(process.execPath, [PRODUCER, ...given], { stdio: ['ignore', 'pipe', 'inherit'] });
    let isDone = false;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [word, number] = line.split(' ');
      if (word === 'done') isDone = true;
      if (word !== 'accepted') return;
      accepted = Number(number);
      onProgress?.(accepted);
      const next = killAt[killed];
      if (next === undefined || accepted < next) return;
      killed++;
      // At any point of the next batches: while it writes, sends, or deletes.
      setTimeout(() => child.kill('SIGKILL'), random() * 100);
    });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => {
        if (code !== 0 && code !== null) reject(new Error(`The producer ended with ${code}.`));
        else resolve(isDone);
      });
    });
  }

  try {
    while (!(await run()));
    return { kills: killed, requests: proxy.requests.length, faults: { ...proxy.faults } };
  } finally {
    proxy.randomize(undefined);
    await rm(folder, { recursive: true });
  }
}
