import { parseArgs } from 'node:util';
import { createEventQueue, createPlayerClient, memoryStorage } from '../src/index.ts';
import { fileStorage } from '../src/node.ts';

/**
 * A game that adds numbered events, for `deliver.ts`, which kills it at any moment. It prints `accepted <number>` when all
 * events below the number are safe, and `done` when the server answered for all. Each event has its name from its number, so a
 * new run may add events again that the run before did not report.
 */
const { values: options } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    'game-key': { type: 'string', default: '' },
    storage: { type: 'string', default: '' },
    'keep-events': { type: 'string', default: 'yes' },
    from: { type: 'string', default: '0' },
    to: { type: 'string', default: '0' },
    start: { type: 'string', default: '0' },
  },
});
const CHUNK = 500;
/** So many may wait. Then the producer waits too. */
const MOST_WAITING = 20_000;

const storage = await fileStorage(options.storage);
const client = createPlayerClient({
  baseUrl: options.url,
  gameKey: options['game-key'],
  storage,
  timeoutMs: 10_000,
});
while (!(await client.session.load())) {
  const login = { provider: 'Mock', token: 'mock:producer:secret' } as const;
  await client.signIn.withProvider(login).catch(() => {});
}

const queue = createEventQueue(client, {
  storage: options['keep-events'] === 'yes' ? storage : memoryStorage(),
  batchEvents: 200,
  batchAfterMs: 50,
  maxBytes: 256 * 1024 * 1024,
  backOff: { firstMs: 20, longestMs: 200 },
});

const to = Number(options.to);
for (let from = Number(options.from); from < to; from += CHUNK) {
  const count = Math.min(CHUNK, to - from);
  await Promise.all(Array.from({ length: count }, (_, index) => add(from + index)));
  console.log(`accepted ${from + count}`);
  if (queue.progress.waiting > MOST_WAITING) await room();
}
await queue.flush();
console.log(`done ${JSON.stringify(queue.progress)}`);
await queue.close();
await storage.close();

function add(number: number): Promise<void> {
  return queue.addPlayerEvent({
    eventKey: 'step',
    value: number,
    idempotencyKey: `event-${number}`,
    occurredAt: new Date(Number(options.start) + number),
  });
}

function room(): Promise<void> {
  return new Promise((resolve) => {
    const end = queue.subscribe(({ waiting }) => {
      if (waiting > MOST_WAITING / 2) return;
      end();
      resolve();
    });
  });
}
