import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit from 'p-limit';
import { ProblemError } from '../core/problem.ts';
import { isRejected } from './database.ts';

/** The result of one item of a batch that was committed. */
export type Outcome<Answer> = { answer: Answer } | { refusal: unknown };

export interface BatcherOptions<Item, Answer> {
  /** The name of the group that an item belongs to. Items of different groups never share a batch. */
  groupOf(item: Item): string;
  /**
   * Reads or writes for a batch in one transaction. Returns the outcome of each item, in the order of the items, after the commit. If
   * it throws, nothing of the batch is answered as written.
   */
  run(items: Item[]): Promise<Outcome<Answer>[]>;
  /** How many items share a batch. */
  maxItems?: number;
  /** How many items of a group may wait in this process. */
  maxWaiting?: number;
  /** How many batches of different groups run at once. The other connections of the pool serve other requests. */
  maxConcurrentBatches?: number;
}

/** Reads or writes together what arrives together (docs/decisions/0043-batched-requests.md). */
export interface Batcher<Item, Answer> {
  /** Runs an item, and returns its answer after the commit. Throws busy if too many items of its group wait. */
  submit(item: Item): Promise<Answer>;
  /** Resolves when every submitted item has its answer. Later items are refused as busy. */
  close(): Promise<void>;
}

/** More items per batch gain less than 3 % of throughput, and each of them waits longer. */
const MAX_ITEMS = 24;

/** About a second of work. */
const MAX_WAITING = 2_000;

const MAX_CONCURRENT_BATCHES = 6;

interface Waiting<Item, Answer> {
  item: Item;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

/**
 * Creates a batcher for one kind of request. While a batch of a group runs, new items of the group wait and share the next
 * batch. There is no timer: the first item runs at once. Each group has at most one batch in progress, and groups take turns.
 *
 * If PostgreSQL refuses a batch because of an item in it, all items are repeated, each in its own transaction. After any other error
 * (a timeout, a lost connection, a lost answer to COMMIT) no item is repeated, and all get the error.
 */
export function createBatcher<Item, Answer>({
  groupOf,
  run,
  maxItems = MAX_ITEMS,
  maxWaiting = MAX_WAITING,
  maxConcurrentBatches = MAX_CONCURRENT_BATCHES,
}: BatcherOptions<Item, Answer>): Batcher<Item, Answer> {
  const queues = new Map<string, Waiting<Item, Answer>[]>();
  const drains = new Set<Promise<void>>();
  const takeTurn = pLimit(maxConcurrentBatches);
  let isClosed = false;

  /** Runs a batch and settles its items. Returns the items that must be repeated alone. */
  const runBatch = async (batch: Waiting<Item, Answer>[]): Promise<Waiting<Item, Answer>[]> => {
    try {
      const outcomes = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve, reject }, place) => {
        const outcome = outcomes[place]!;
        if ('refusal' in outcome) reject(outcome.refusal);
        else resolve(outcome.answer);
      });
    } catch (error) {
      if (batch.length > 1 && isRejected(error)) return batch;
      for (const { reject } of batch) reject(error);
    }
    return [];
  };

  const drain = async (group: string, queue: Waiting<Item, Answer>[]): Promise<void> => {
    // Requests that arrived in the same turn of the event loop share the first batch.
    await nextTurn();
    while (queue.length > 0) {
      const repeated = await takeTurn(() => runBatch(queue.splice(0, maxItems)));
      await Promise.all(repeated.map((one) => takeTurn(() => runBatch([one]))));
      // The first turn sends the answers, and the second one reads the requests that follow them. So batches are a quarter larger.
      await nextTurn();
      await nextTurn();
    }
    queues.delete(group);
  };

  return {
    submit(item) {
      return new Promise((resolve, reject) => {
        const waiting = { item, resolve, reject };
        const group = groupOf(item);
        const queue = queues.get(group);
        if (isClosed || (queue && queue.length >= maxWaiting))
          return reject(new ProblemError('busy', { headers: { 'retry-after': '1' } }));
        if (queue) return void queue.push(waiting);
        const newQueue = [waiting];
        queues.set(group, newQueue);
        const drained = drain(group, newQueue).finally(() => drains.delete(drained));
        drains.add(drained);
      });
    },
    async close() {
      isClosed = true;
      await Promise.all(drains);
    },
  };
}
