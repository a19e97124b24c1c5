import { setTimeout as sleep } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import type { PgBoss } from 'pg-boss';
import { fallingLimit } from '../core/share.ts';
import { createGroupOwners } from './group-owners.ts';
import type { OwnersOf, Queue } from './queue.ts';

/** A job that was fetched from a queue. */
export interface TakenJob {
  id: string;
  data: unknown;
}

/** The state of the database of the queues, as all consumers of a worker see it. */
interface QueueHealth {
  failed(error: unknown): void;
  /** Jobs, or none, were fetched. */
  fetched(): void;
}

export interface QueueConsumer {
  /** Fetches jobs soon, because some were added. */
  notice(): void;
  /** Fetches no more jobs, and waits at most `withinMs` for running jobs. */
  stop(withinMs: number): Promise<void>;
}

/** How often an empty queue is polled: for jobs whose time has come, and for those whose notification was lost. */
const POLL_EVERY_MS = 1000;
/** Jobs that are added within this time of each other are fetched together, so that a burst causes at most 40 fetches a second. */
const GATHER_MS = 25;
/** How many jobs of a queue run at once in one process, unless the queue sets `atOnce`. */
const DEFAULT_AT_ONCE = 10;

/**
 * Fetches jobs from a queue and runs each one separately, so that a job that waits for a slow server delays no other.
 * Polls after `notice`, every second, and immediately while there are more jobs. `run` returns an error if the job must be retried.
 */
export function startQueueConsumer(
  boss: PgBoss,
  { queue, ownersOf }: { queue: Queue<object>; ownersOf?: OwnersOf | undefined },
  run: (job: TakenJob) => Promise<Error | undefined>,
  health: QueueHealth,
): QueueConsumer {
  const { name, atOnce = DEFAULT_AT_ONCE, atOncePerGroup = atOnce, atOncePerOwner = atOnce } = queue;
  const running = new Set<Promise<void>>();
  const groups = createLimits(atOncePerGroup);
  const owners = createLimits(atOncePerOwner);
  const { resolve, ownerOf, groupsOf } = createGroupOwners(ownersOf ?? (async () => []), owners.isActive);
  const acknowledgements = createAcknowledgementBatcher(boss, name, health);
  let stopping = false;
  /** Whether jobs may wait for a free slot. */
  let isFull = false;
  let wake = () => {};
  let gathering: NodeJS.Timeout | undefined;

  /** Fetches at most as many jobs as one group or owner may run, so that few jobs of a full one are fetched too early. */
  const fetchJobs = async (): Promise<boolean> => {
    const free = atOnce - running.size;
    isFull = free === 0;
    if (isFull) return false;
    const ownerLimit = fallingLimit(atOncePerOwner, { free, total: atOnce });
    const full = [...new Set([...groups.full(atOncePerGroup), ...groupsOf(owners.full(ownerLimit))])];
    isFull = full.length > 0;
    const room = Math.min(free, atOncePerGroup, ownerLimit);
    const jobs = await boss.fetch(name, {
      batchSize: room,
      ...(full.length > 0 && { ignoreGroups: full }),
    });
    health.fetched();
    // The jobs are fetched already, so a failure must not lose them.
    await resolve(jobs.map((job) => job.groupId).filter((group) => group != null)).catch(health.failed);
    for (const job of jobs) start(job, job.groupId ?? undefined);
    return jobs.length === room;
  };

  const start = (job: TakenJob, group: string | undefined): void => {
    const work = async () =>
      acknowledgements.add(job.id, stopping ? new Error('The worker is stopping.') : await run(job));
    const limited = async () => {
      if (group === undefined) return work();
      // The slot of the owner is acquired last: a job that waits for its group leaves it to other groups.
      await owners.count(ownerOf(group), (inOwner) =>
        groups.count(group, (inGroup) => inGroup(() => inOwner(work))),
      );
    };
    const ended = limited().finally(() => {
      running.delete(ended);
      if (isFull) wake();
    });
    running.add(ended);
  };

  const loop = async (): Promise<void> => {
    while (!stopping) {
      const awake = new Promise<void>((resolve) => (wake = resolve));
      const hasMore = await fetchJobs().catch((error: unknown) => {
        health.failed(error);
        return false;
      });
      if (hasMore) continue;
      const timer = setTimeout(wake, POLL_EVERY_MS);
      await awake;
      clearTimeout(timer);
    }
  };
  const ended = loop();

  return {
    notice() {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        wake();
      }, GATHER_MS);
    },
    async stop(withinMs) {
      stopping = true;
      clearTimeout(gathering);
      wake();
      await ended;
      const late = sleep(withinMs, undefined, { ref: false });
      await Promise.race([Promise.allSettled(running), late]);
      await Promise.race([acknowledgements.done(), late]);
    },
  };
}

/** Counts the jobs of each name that were fetched and have not ended, and limits how many run at once. */
function createLimits(most: number) {
  const known = new Map<string, { jobs: number; limit: LimitFunction }>();
  return {
    /** The names that have at least this many jobs. */
    full: (limit: number) => [...known].filter(([, { jobs }]) => jobs >= limit).map(([name]) => name),
    isActive: (name: string) => known.has(name),
    /** Counts a job of the name while `work` runs. `work` calls the limit to wait for its turn. */
    async count(name: string, work: (limit: LimitFunction) => Promise<void>): Promise<void> {
      const counted = known.get(name) ?? { jobs: 0, limit: pLimit(most) };
      known.set(name, counted);
      counted.jobs++;
      try {
        await work(counted.limit);
      } finally {
        counted.jobs--;
        if (counted.jobs === 0) known.delete(name);
      }
    },
  };
}

/**
 * Acknowledges jobs that have ended. One statement completes all jobs that succeeded during the previous statement. A job with an
 * error is marked as failed on its own.
 */
function createAcknowledgementBatcher(boss: PgBoss, name: string, health: QueueHealth) {
  let completed: string[] = [];
  let completing: Promise<void> | undefined;
  const failing = new Set<Promise<void>>();

  const completeAll = async (): Promise<void> => {
    // Jobs that end in the same turn of the event loop form one batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (completed.length > 0) {
      const ids = completed;
      completed = [];
      // If this fails, the job is retried like the job of a dead worker.
      await boss.complete(name, ids).catch(health.failed);
    }
    completing = undefined;
  };
  return {
    add(id: string, error: Error | undefined): void {
      if (!error) {
        completed.push(id);
        completing ??= completeAll();
        return;
      }
      const acknowledged: Promise<void> = boss
        .fail(name, id, { message: error.message })
        .then(() => {}, health.failed)
        .finally(() => failing.delete(acknowledged));
      failing.add(acknowledged);
    },
    /** Resolves when the jobs that were added are acknowledged. */
    async done(): Promise<void> {
      await Promise.all([completing, ...failing]);
    },
  };
}
