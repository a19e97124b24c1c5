import pLimit, { type LimitFunction } from 'p-limit';
import type { PgBoss } from 'pg-boss';
import type { OwnersOf, Queue } from './queue.ts';

/** A job as it is taken from a queue. */
export interface TakenJob {
  id: string;
  data: unknown;
}

export interface QueueConsumer {
  /** Takes no more jobs, and lets the running ones end, for so many milliseconds at most. */
  stop(withinMs: number): Promise<void>;
}

/** How often an empty queue is looked into. */
const LOOK_EVERY_MS = 1000;
/** How many jobs run at once in one process, where a queue says nothing else. */
const AT_ONCE = 10;

/**
 * Takes jobs from a queue and runs each by itself, so that one which waits for a slow server holds up no other. Looks every
 * second, and again at once as long as there are more. `run` tells what became of a job: an error, where it is to be tried
 * again.
 */
export function startQueueConsumer(
  boss: PgBoss,
  { queue, ownersOf }: { queue: Queue<object>; ownersOf?: OwnersOf | undefined },
  run: (job: TakenJob) => Promise<Error | undefined>,
  report: (error: unknown) => void,
): QueueConsumer {
  const { name, atOnce = AT_ONCE, atOncePerGroup = atOnce, atOncePerOwner = atOnce } = queue;
  const running = new Set<Promise<void>>();
  const groups = limits(atOncePerGroup);
  const owners = limits(atOncePerOwner);
  /** The owners of groups: of all groups of each owner whose jobs run. */
  let ownerOf = new Map<string, string>();
  const settle = createAcknowledgementBatcher(boss, name, report);
  let stopping = false;
  /** Whether jobs may wait for any other to end. */
  let isFull = false;
  let wake = () => {};

  /** As many as one group may run, so that of those of a group which is full soon, few are taken too early. */
  const take = async (): Promise<boolean> => {
    const fullOwners = new Set(owners.full());
    const theirs = [...ownerOf].filter(([, owner]) => fullOwners.has(owner)).map(([group]) => group);
    const full = [...new Set([...groups.full(), ...theirs])];
    const room = Math.min(atOnce - running.size, atOncePerGroup);
    isFull = room === 0;
    if (isFull) return false;
    const jobs = await boss.fetch(name, {
      batchSize: room,
      ...(full.length > 0 && { ignoreGroups: full }),
    });
    await learnOwners(jobs.map((job) => job.groupId).filter((group) => group != null));
    for (const job of jobs) start(job, job.groupId ?? undefined);
    return jobs.length === room;
  };

  /** Jobs are taken already, so a failure must not lose them: a group of an unknown owner is its own owner. */
  const learnOwners = async (taken: string[]): Promise<void> => {
    const unknown = [...new Set(taken)].filter((group) => !ownerOf.has(group));
    if (!ownersOf || unknown.length === 0) return;
    ownerOf = new Map([...ownerOf].filter(([, owner]) => owners.isActive(owner)));
    try {
      for (const { group, owner } of await ownersOf(unknown)) ownerOf.set(group, owner);
    } catch (error) {
      report(error);
    }
  };

  const start = (job: TakenJob, group: string | undefined): void => {
    const work = async () => settle(job.id, stopping ? new Error('The worker stops.') : await run(job));
    const limited = async () => {
      if (group === undefined) return work();
      // The place of the owner is taken last: a job that waits for its group leaves it to other groups.
      await owners.count(
        ownerOf.get(group) ?? group,
        (inOwner) =>
          groups.count(
            group,
            (inGroup) => inGroup(() => inOwner(work)),
            () => wake(),
          ),
        () => wake(),
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
      const areMore = await take().catch((error: unknown) => {
        report(error);
        return false;
      });
      if (areMore) continue;
      const timer = setTimeout(wake, LOOK_EVERY_MS);
      await awake;
      clearTimeout(timer);
    }
  };
  const ended = loop();

  return {
    async stop(withinMs) {
      stopping = true;
      wake();
      await ended;
      const late = new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref());
      await Promise.race([Promise.allSettled(running), late]);
      await Promise.race([settle.done(), late]);
    },
  };
}

/** Counts the jobs of each name that were taken and have not ended, and runs so many of them at once. */
function limits(most: number) {
  const known = new Map<string, { jobs: number; limit: LimitFunction }>();
  return {
    /** The names that have as many jobs as may run. */
    full: () => [...known].filter(([, { jobs }]) => jobs >= most).map(([name]) => name),
    isActive: (name: string) => known.has(name),
    /** `onRoom`: others of the name may wait, which were not fetched while it was full. */
    async count(
      name: string,
      work: (limit: LimitFunction) => Promise<void>,
      onRoom: () => void,
    ): Promise<void> {
      const counted = known.get(name) ?? { jobs: 0, limit: pLimit(most) };
      known.set(name, counted);
      counted.jobs++;
      try {
        await work(counted.limit);
      } finally {
        if (counted.jobs-- === most) onRoom();
        if (counted.jobs === 0) known.delete(name);
      }
    },
  };
}

/** Tells the queue what became of jobs: of all those that ended while it was last told, in one statement. */
function createAcknowledgementBatcher(boss: PgBoss, name: string, report: (error: unknown) => void) {
  let completed: string[] = [];
  let telling: Promise<void> | undefined;
  const failing = new Set<Promise<void>>();

  const tell = async (): Promise<void> => {
    // What ends in the same turn of the event loop is told together.
    await new Promise((resolve) => setImmediate(resolve));
    while (completed.length > 0) {
      const ids = completed;
      completed = [];
      // A job of which this fails is taken up again, as that of a dead worker.
      await boss.complete(name, ids).catch(report);
    }
    telling = undefined;
  };
  const settle = (id: string, error: Error | undefined): void => {
    if (!error) {
      completed.push(id);
      telling ??= tell();
      return;
    }
    const told: Promise<void> = boss
      .fail(name, id, { message: error.message })
      .then(() => {}, report)
      .finally(() => failing.delete(told));
    failing.add(told);
  };
  return Object.assign(settle, { done: async () => void (await Promise.all([telling, ...failing])) });
}
