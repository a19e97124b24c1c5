import pg from 'pg';
import { PgBoss } from 'pg-boss';
import type { Database, Querier } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';

/** A kind of work that is done later, by whichever worker comes first. Its data names things; it holds no secrets. */
export interface Queue<Data extends object> {
  name: string;
  /** The wait before the second attempt, in seconds. It doubles with every further one, up to `retryDelayMax`. */
  retryDelay: number;
  retryDelayMax: number;
  retryLimit: number;
  /** How long one attempt may take. The job of a worker that died is taken up again after that time. */
  expireInSeconds: number;
  /** How many jobs one worker runs at once: 10 where it is left out. */
  atOnce?: number;
  /** How many of them of one group; as many, where it is left out. */
  atOncePerGroup?: number;
  /** How many of them of all groups of one owner ({@link OwnersOf}); as many, if it is left out. */
  atOncePerOwner?: number;
  /** Never set: ties the queue to the type of its data. */
  data?: Data;
}

export interface NewJob<Data extends object> {
  data: Data;
  /** When it may be taken; at once where it is left out. */
  startsAt?: string | undefined;
  /** What it is about: of the jobs of one group a worker runs but a few at once (`atOncePerGroup`). */
  group?: string;
}

/**
 * Says to whom groups belong, and which other groups belong to the same owners: a worker that is full for an owner passes over
 * all of them.
 */
export type OwnersOf = (groups: string[]) => Promise<{ group: string; owner: string }[]>;

/** Puts work into queues. */
export interface Jobs {
  /**
   * Adds a job in the caller's transaction: it is there if the transaction commits, and survives whatever comes then. With
   * `once` it adds nothing where there was one with the same key in this slot of the clock, so many seconds wide.
   */
  add<Data extends object>(
    db: Querier,
    queue: Queue<Data>,
    data: Data,
    once?: { key: string; seconds: number },
  ): Promise<void>;
  /** Adds many jobs of a queue at once, as {@link Jobs.add} adds one. */
  addAll<Data extends object>(db: Querier, queue: Queue<Data>, jobs: NewJob<Data>[]): Promise<void>;
  close(): Promise<void>;
}

/** A finished job is kept for an hour, to look at. */
const KEPT_SECONDS = 60 * 60;

/** Opens the queues for adding jobs, as the application's role. Working on them takes a worker. */
export async function openJobs(database: Database): Promise<Jobs> {
  const boss = new PgBoss({ db: executor(database), migrate: false, supervise: false, schedule: false });
  // It reads the list of queues again from time to time; without an answer it goes on with the one that it has.
  boss.on('error', () => {});
  await boss.start();
  return {
    async add(db, queue, data, once) {
      const singleton = once && { singletonKey: once.key, singletonSeconds: once.seconds };
      const id = await boss.send(queue.name, data, { db: executor(db), ...singleton });
      if (!id && !once) throw new Error(`The queue ${queue.name} took no job.`);
    },
    async addAll(db, queue, added) {
      const inserted = added.map(({ data, startsAt: startAfter, group }) => ({
        data,
        ...(startAfter && { startAfter }),
        ...(group && { group: { id: group } }),
      }));
      await boss.insert(queue.name, inserted, { db: executor(db) });
    },
    close: () => boss.stop({ graceful: false }),
  };
}

/** Any number that nothing else locks: processes that start together take turns. */
const INSTALL_LOCK = 7_118_006;

/**
 * Makes the queues in the database of `url` (schema pgboss), or brings them up to date, and lets the application's roles add
 * jobs: they can neither take nor read any.
 */
export async function installQueues(url: string, queues: Queue<object>[]): Promise<void> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    await owner.query(`SELECT pg_advisory_lock(${INSTALL_LOCK})`);
    const boss = new PgBoss({ connectionString: url, max: 1, supervise: false, schedule: false });
    boss.on('error', () => {});
    await boss.start();
    for (const { name, retryDelay, retryDelayMax, retryLimit, expireInSeconds } of queues) {
      const attempts = { retryDelay, retryDelayMax, retryLimit, retryBackoff: true, expireInSeconds };
      const settings = { ...attempts, deleteAfterSeconds: KEPT_SECONDS };
      await boss.createQueue(name, settings);
      await boss.updateQueue(name, settings);
    }
    await boss.stop({ graceful: false });
    await owner.query(`
      GRANT USAGE ON SCHEMA pgboss TO guildhall_app, guildhall_player;
      GRANT SELECT ON pgboss.version, pgboss.queue TO guildhall_app, guildhall_player;
      GRANT INSERT, SELECT (id) ON pgboss.job, pgboss.job_common TO guildhall_app, guildhall_player`);
  } finally {
    await owner.end();
  }
}

/** Runs the statements of the queue's library where our own run. */
function executor(db: Querier) {
  return {
    executeSql: async (text: string, values: unknown[] = []) => ({
      rows: await db.rows<object>({ text, values } as unknown as Sql),
    }),
  };
}
