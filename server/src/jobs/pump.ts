import pLimit, { type LimitFunction } from 'p-limit';
import type { PgBoss } from 'pg-boss';
import type { Queue } from './queue.ts';

/** A job as it is taken from a queue. */
export interface TakenJob {
  id: string;
  data: unknown;
}

export interface Pump {
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
export function startPump(
  boss: PgBoss,
  { name, atOnce = AT_ONCE, atOncePerGroup = atOnce }: Queue<object>,
  run: (job: TakenJob) => Promise<Error | undefined>,
  report: (error: unknown) => void,
): Pump {
  const running = new Set<Promise<void>>();
  const groups = new Map<string, { jobs: number; limit: LimitFunction }>();
  const settle = settler(boss, name, report);
  let stopping = false;
  /** Whether jobs may wait for any other to end. */
  let isFull = false;
  let wake = () => {};

  /** As many as one group may run, so that of those of a group which is full soon, few are taken too early. */
  const take = async (): Promise<boolean> => {
    const full = [...groups].filter(([, { jobs }]) => jobs >= atOncePerGroup).map(([group]) => group);
    const room = Math.min(atOnce - running.size, atOncePerGroup);
    isFull = room === 0;
    if (isFull) return false;
    const jobs = await boss.fetch(name, {
      batchSize: room,
      ...(full.length > 0 && { ignoreGroups: full }),
    });
    for (const job of jobs) start(job, job.groupId ?? undefined);
    return jobs.length === room;
  };

  const start = (job: TakenJob, group: string | undefined): void => {
    const work = async () => settle(job.id, stopping ? new Error('The worker stops.') : await run(job));
    const ended = inGroup(group, work).finally(() => {
      running.delete(ended);
      if (isFull) wake();
    });
    running.add(ended);
  };

  const inGroup = async (group: string | undefined, work: () => void | Promise<void>): Promise<void> => {
    if (group === undefined) return work();
    const known = groups.get(group) ?? { jobs: 0, limit: pLimit(atOncePerGroup) };
    groups.set(group, known);
    known.jobs++;
    await known.limit(work).finally(() => {
      // Others of the group may wait, which were not fetched while it was full.
      if (known.jobs-- === atOncePerGroup) wake();
      if (known.jobs === 0) groups.delete(group);
    });
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

/** Tells the queue what became of jobs: of all those that ended while it was last told, in one statement. */
function settler(boss: PgBoss, name: string, report: (error: unknown) => void) {
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
