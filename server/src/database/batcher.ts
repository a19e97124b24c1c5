import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit from 'p-limit';
import { ProblemError } from '../core/problem.ts';
import { isRejected } from './errors.ts';

/** The result of one item of a batch that was committed. */
export type ItemResult<Answer> = { answer: Answer } | { refusal: unknown };

export interface BatcherOptions<Item, Answer> {
  /** The name of the group that an item belongs to. Items of different groups never share a batch. */
  groupOf(item: Item): string;
  /**
   * Reads or writes for a batch in one transaction. Returns the result of each item, in the order of the items, after the commit. If
   * it throws, nothing of the batch is answered as written.
   */
  run(items: Item[]): Promise<ItemResult<Answer>[]>;
  /** How many items share a batch. */
  maxItems?: number;
  /** How many items of a group may wait in this process. Only tests set it. */
  maxWaiting?: number;
  /** How many batches run at once, of all groups. The other connections of the pool serve other requests. Only tests set it. */
  maxConcurrentBatches?: number;
  /** How many batches of one group run at once. */
  maxBatchesPerGroup?: number;
}

/** Reads or writes together what arrives together (docs/decisions/0043-batched-requests.md). */
interface Batcher<Item, Answer> {
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

/** With two, PostgreSQL writes one batch while this process answers the other. */
const MAX_BATCHES_PER_GROUP = 2;

/**
 * How many items must wait for a second batch of their group. With 8 instead, sign-ins over 16 connections take a third more processor
 * time in PostgreSQL.
 */
const MIN_ITEMS_FOR_SECOND = 16;

/** The waiting items of a group, and how many of its batches run. */
interface Group<Item, Answer> {
  queue: Waiting<Item, Answer>[];
  running: number;
}

interface Waiting<Item, Answer> {
  item: Item;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

/**
 * Creates a batcher for one kind of request. While a batch of a group runs, new items of the group wait and share the next
 * batch. There is no timer: the first item runs at once. If many items wait, a second batch of the group runs beside the first.
 * Groups take turns.
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
  maxBatchesPerGroup = MAX_BATCHES_PER_GROUP,
}: BatcherOptions<Item, Answer>): Batcher<Item, Answer> {
  const groups = new Map<string, Group<Item, Answer>>();
  const drains = new Set<Promise<void>>();
  const takeTurn = pLimit(maxConcurrentBatches);
  let isClosed = false;

  /** Runs a batch and settles its items. Returns the items that must be repeated alone. */
  const runBatch = async (batch: Waiting<Item, Answer>[]): Promise<Waiting<Item, Answer>[]> => {
    // While it waited for its turn, the other batch of the group took all items.
    if (batch.length === 0) return [];
    try {
      const results = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve, reject }, place) => {
        const result = results[place]!;
        if ('refusal' in result) reject(result.refusal);
        else resolve(result.answer);
      });
    } catch (error) {
      if (batch.length > 1 && isRejected(error)) return batch;
      for (const { reject } of batch) reject(error);
    }
    return [];
  };

  /** Runs batches of a group until no item waits. */
  const drain = async (name: string, group: Group<Item, Answer>): Promise<void> => {
    const { queue } = group;
    group.running++;
    // Requests that arrived in the same turn of the event loop share the first batch.
    await nextTurn();
    while (queue.length > 0) {
      const repeated = await takeTurn(() => runBatch(queue.splice(0, maxItems)));
      // One by one: otherwise they would exceed `maxBatchesPerGroup`, and take all turns of other groups.
      for (const one of repeated) await takeTurn(() => runBatch([one]));
      // The first turn sends the answers. The second turn reads the next requests of their clients, so batches are a quarter larger.
      await nextTurn();
      await nextTurn();
    }
    if (--group.running === 0) groups.delete(name);
  };

  return {
    submit(item) {
      return new Promise((resolve, reject) => {
        const name = groupOf(item);
        const group = groups.get(name) ?? { queue: [], running: 0 };
        if (isClosed || group.queue.length >= maxWaiting)
          return reject(new ProblemError('busy', { retryAfter: 1 }));
        groups.set(name, group);
        group.queue.push({ item, resolve, reject });
        const isSecondNeeded =
          group.running < maxBatchesPerGroup && group.queue.length >= MIN_ITEMS_FOR_SECOND;
        if (group.running > 0 && !isSecondNeeded) return;
        const drained = drain(name, group).finally(() => drains.delete(drained));
        drains.add(drained);
      });
    },
    async close() {
      isClosed = true;
      await Promise.all(drains);
    },
  };
}
