import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import { OperatorError } from '../core/operator-error.ts';
import type { Database, Querier } from '../database/database.ts';
import { isLockTimeout } from '../database/errors.ts';
import { sql, type Sql } from '../database/sql.ts';

/** A kind of background work, which any worker may do. Its data contains ids, and no secrets. */
export interface Queue<Data extends object> {
  name: string;
  /** The delay before the second attempt, in seconds. It doubles with each attempt, up to `retryDelayMax`. */
  retryDelay: number;
  retryDelayMax: number;
  retryLimit: number;
  /** How long one attempt may take. After that time the job of a dead worker is retried. */
  expireInSeconds: number;
  /** How many jobs one worker runs at once. Default: 10. */
  atOnce?: number;
  /** How many jobs of one group run at once. Default: `atOnce`. */
  atOncePerGroup?: number;
  /** How many jobs of all groups of one owner ({@link OwnersOf}) run at once, if it is the only one. Default: `atOnce`. */
  atOncePerOwner?: number;
  /** Never set. It gives the queue the type of its data. */
  data?: Data;
}

export interface NewJob<Data extends object> {
  data: Data;
  /** When the job may start. Default: immediately. */
  startsAt?: string | undefined;
  /** The subject of the job. A worker runs at most `atOncePerGroup` jobs of one group at once. */
  group?: string;
  /** Jobs of a higher priority start first. Default: 0. */
  priority?: number;
}

interface JobOptions {
  /** Adds nothing if a job with the same key exists in the current interval of `seconds`. */
  once?: { key: string; seconds: number };
}

/**
 * Returns the owners of groups, and all other groups of the same owners. A worker that has reached the limit of an
 * owner skips all of them.
 */
export type OwnersOf = (groups: string[]) => Promise<{ group: string; owner: string }[]>;

/** Adds jobs to queues. */
export interface Jobs {
  /**
   * Adds a job in the caller's transaction. The job exists if the transaction commits. Returns false if it was not added because of
   * `once`.
   */
  add<Data extends object>(
    db: Querier,
    queue: Queue<Data>,
    data: Data,
    options?: JobOptions,
  ): Promise<boolean>;
  /** Adds many jobs of one queue. */
  addAll<Data extends object>(db: Querier, queue: Queue<Data>, jobs: NewJob<Data>[]): Promise<void>;
  close(): Promise<void>;
}

/** The channel on which PostgreSQL notifies the workers of added jobs, at the commit. The payload is the name of the queue. */
export const JOBS_CHANNEL = 'guildhall_jobs';

/** Finished jobs are kept for one hour, for inspection and for the count of failed ones. */
export const KEPT_SECONDS = 60 * 60;

/** The message of pg-boss if its schema is of another version. {@link installQueues} updates an older one, so this one is newer. */
const OTHER_VERSION = 'pg-boss database requires migrations';

/**
 * Opens the queues to add jobs, with the role of the application. A worker runs the jobs. Throws {@link OperatorError} if a newer version
 * has updated them.
 */
export async function openJobs(database: Database): Promise<Jobs> {
  const boss = new PgBoss({ db: executor(database), migrate: false, supervise: false, schedule: false });
  // pg-boss refreshes its list of queues now and then. If that fails, it keeps the old list.
  boss.on('error', () => {});
  await boss.start().catch((error: Error) => {
    if (error.message !== OTHER_VERSION) throw error;
    throw new OperatorError(
      'A newer version has changed the job queues of the database (schema pgboss), and this version cannot use them. ' +
        'Start the newer version, or restore a backup: docs/backup.md, "Roll back".',
      { cause: error },
    );
  });
  return {
    async add(db, queue, data, { once } = {}) {
      const id = await boss.send(queue.name, data, {
        db: executor(db),
        ...(once && { singletonKey: once.key, singletonSeconds: once.seconds }),
      });
      if (!id && !once) throw new Error(`The queue ${queue.name} did not accept the job.`);
      if (id) await notifyWorkers(db, queue);
      return id !== null;
    },
    async addAll(db, queue, added) {
      const inserted = added.map(({ data, startsAt: startAfter, group, priority = 0 }) => ({
        data,
        priority,
        ...(startAfter && { startAfter }),
        ...(group && { group: { id: group } }),
      }));
      await boss.insert(queue.name, inserted, { db: executor(db) });
      // Jobs that start later are found by polls. While receivers fail, many retries are added, and nothing can start.
      if (added.some(({ startsAt }) => startsAt === undefined)) await notifyWorkers(db, queue);
    },
    close: () => boss.stop({ graceful: false }),
  };
}

/**
 * Creates or updates the queues of a database (schema pgboss), with a connection of its owner that holds the lock of the migrations.
 * The application's roles may add jobs, but not fetch them or read their data. Throws {@link OperatorError} if other connections hold
 * locks on the tables for 30 seconds.
 */
export async function installQueues(owner: pg.Client, queues: Queue<object>[]): Promise<void> {
  const executeSql = (text: string, values?: unknown[]) => owner.query(text, values);
  const boss = new PgBoss({ db: { executeSql }, supervise: false, schedule: false });
  boss.on('error', () => {});
  await boss.start().catch((error: Error) => {
    if (!isLockTimeout(error)) throw error;
    throw new OperatorError(
      'The update of the job queues waited 30 seconds for a lock that another connection holds, such as a pg_dump. ' +
        'Find the connection in pg_stat_activity, and start again when it has ended.',
      { cause: error },
    );
  });
  // Before the next turn of the event loop, in which pg-boss would build new indexes. A build waits for the snapshots of all connections,
  // such as that of pg_dump, and here each other start would wait behind it. The worker builds them. Our `db` works after the stop.
  await boss.stop({ graceful: false });
  for (const { name, retryDelay, retryDelayMax, retryLimit, expireInSeconds } of queues) {
    const attempts = { retryDelay, retryDelayMax, retryLimit, retryBackoff: true, expireInSeconds };
    const settings = { ...attempts, deleteAfterSeconds: KEPT_SECONDS };
    await boss.createQueue(name, settings);
    await boss.updateQueue(name, settings);
  }
  await owner.query(`
    GRANT USAGE ON SCHEMA pgboss TO guildhall_app, guildhall_player;
    GRANT SELECT ON pgboss.version, pgboss.queue TO guildhall_app, guildhall_player;
    GRANT INSERT, SELECT (id) ON pgboss.job, pgboss.job_common TO guildhall_app, guildhall_player;
    -- For the statistics.
    GRANT SELECT (name, state, blocked, priority, created_on, start_after) ON pgboss.job TO guildhall_app`);
}

const notifyWorkers = (db: Querier, { name }: Queue<object>): Promise<unknown> =>
  db.rows(sql`SELECT pg_notify(${JOBS_CHANNEL}, ${name})`);

/** Runs the statements of pg-boss through a Querier, so that they share its transaction. */
function executor(db: Querier) {
  return {
    executeSql: async (text: string, values: unknown[] = []) => ({
      rows: await db.rows<object>({ text, values } as unknown as Sql),
    }),
  };
}
