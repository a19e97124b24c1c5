import { availableParallelism } from 'node:os';
import {
  createFairSemaphore,
  SemaphoreFullError,
  SemaphoreTimeoutError,
} from '../core/concurrency/fair-semaphore.ts';
import { createLruCache } from '../core/lru-cache.ts';
import { ProblemError } from '../core/problem.ts';
import { shareOf } from '../core/share.ts';

/**
 * Large reads use half of the cores, and those of one tenant a quarter, because PostgreSQL often runs on the same
 * machine. With 40 parallel reads, sign-ins keep more than half of their rate. Several processes divide the slots.
 */
const RUNNING = Math.floor(availableParallelism() / 2);
/** With one slot in each process, an owner that reads without a pause would have all of them. */
const LEAST_RUNNING = 2;
const WAITING_PER_READER = 16;
const WAIT_SECONDS = 10;
const RETRY_AFTER_SECONDS = 5;

/** How many large reads one of several processes runs at once. */
export function countHeavySlots(processes: number): number {
  return shareOf(RUNNING, processes, LEAST_RUNNING);
}

/** The caches of owners are small, and a workspace rarely gets another owner. */
const CACHED_OWNERS = 10_000;
const OWNER_AGE_MS = 5 * 60_000;

/** The slots for large reads. */
interface HeavySlots {
  /** Runs a read of a tenant, a workspace or a player. Throws too_many_reads and busy. A patient read is never rejected. */
  run<Result>(
    reader: string,
    work: () => Promise<Result>,
    options?: { patient?: boolean; ownerOf?: FindOwner },
  ): Promise<Result>;
  /** The number of reads that wait for a slot. */
  waiting(): number;
}

/** Returns the account that owns a tenant or workspace, or the id itself if it counts alone. */
export type FindOwner = (id: string) => Promise<string>;

/**
 * Shares the slots for large reads between owners: an account with all of its tenants and workspaces, or a player. One account can create
 * many tenants: with a turn for each, those of 20 made the reads of others wait for 10 reads, and fail after 10 seconds.
 */
export function createHeavySlots(running: number): HeavySlots {
  const runningPerOwner = Math.floor(running / 2);
  const slots = createFairSemaphore({
    running,
    runningPerOwner,
    waitingPerMember: WAITING_PER_READER,
    waitMs: WAIT_SECONDS * 1000,
  });
  const owners = createLruCache<string, string>(CACHED_OWNERS, { ttl: OWNER_AGE_MS });
  const cachedOwnerOf = async (id: string, find: FindOwner): Promise<string> => {
    const cached = owners.get(id);
    if (cached !== undefined) return cached;
    const owner = await find(id);
    owners.set(id, owner);
    return owner;
  };
  const refuse = (error: unknown): never => {
    if (error instanceof SemaphoreFullError)
      throw new ProblemError('too_many_reads', {
        detail: `At most ${runningPerOwner} large read${runningPerOwner === 1 ? '' : 's'} of a studio or player may run at once, and ${WAITING_PER_READER} of a tenant may wait. Send fewer at once, and retry after the seconds in Retry-After.`,
        retryAfter: RETRY_AFTER_SECONDS,
      });
    if (error instanceof SemaphoreTimeoutError)
      throw new ProblemError('busy', {
        detail: `Other large reads took more than ${WAIT_SECONDS} seconds. Retry after the number of seconds in Retry-After.`,
        retryAfter: RETRY_AFTER_SECONDS,
      });
    throw error;
  };
  return {
    async run(reader, work, { patient, ownerOf } = {}) {
      const owner = ownerOf ? await cachedOwnerOf(reader, ownerOf) : reader;
      return slots.run(owner, work, { patient, member: reader }).catch(refuse);
    },
    waiting: () => slots.waiting(),
  };
}
