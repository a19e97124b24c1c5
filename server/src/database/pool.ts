import pg from 'pg';
import { KEEP_ALIVE, sessionOptions } from './client.ts';
import { rowTypes } from './row-types.ts';

/** The roles of the application, which migration 0001 creates. None of them owns a table. */
export const APPLICATION_ROLES = ['guildhall_app', 'guildhall_player', 'guildhall_event_writer'];

/**
 * Requests read by index and in its order. Without statistics PostgreSQL takes each table for nearly empty, so that it would read it as
 * a whole. If a table has no index, it still does (docs/decisions/0042-plans-without-statistics.md).
 */
const BY_INDEX = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  // Before version 18 PostgreSQL adds to the cost of what is off, and compiles statements of high cost.
  jit: 'off',
};

/**
 * The statement timeout in seconds, for each class of work. The continuous work of the worker (`background`) must continue soon after a
 * failover of PostgreSQL. Only the scheduled jobs (`job`) run long statements.
 */
const STATEMENT_SECONDS = { request: 10, heavy: 30, events: 30, background: 30, job: 600 };

/** A batch of events may work longer than a request, but waits no longer for the lock of another transaction. */
export const LOCK_SECONDS = STATEMENT_SECONDS.request;

/**
 * Settings for a cluster of Citus. Without the extension they have no effect. The first one sends `SET LOCAL guildhall.tenant_id` to the
 * other nodes, which check the policies. With the second one, LOCK TABLE of a read asks no other node.
 */
const CITUS = {
  'citus.propagate_set_commands': 'local',
  'citus.enable_ddl_propagation': 'off',
};

/**
 * How much longer than its timeout a statement waits for PostgreSQL. Then the connection is closed: the network or PostgreSQL hangs.
 */
const SILENT_SECONDS = 10;

/**
 * How long a change of partitions waits for the end of large reads (partitioned-tables.ts). New ones wait behind it: it is less than the
 * timeout of their statements, so that they are not cancelled. Each is sent together with the statement that waits.
 */
export const PARTITION_CHANGE_SECONDS = 20;

/**
 * A connection to a standby closes when a write fails on it (scope.ts). Large reads write nothing, so after a failover they would read from
 * the standby for as long as no pause lets their connections close.
 */
const HEAVY_LIFETIME_SECONDS = 60;

/** Opens a pool whose connections use `role` from the start. */
export function openPool(
  url: string,
  role: string,
  {
    poolSize,
    pipeline,
    work = 'request',
  }: { poolSize: number; pipeline: boolean; work?: keyof typeof STATEMENT_SECONDS },
): pg.Pool {
  const seconds = STATEMENT_SECONDS[work];
  const settings = {
    role,
    timezone: 'UTC',
    statement_timeout: `${seconds}s`,
    idle_in_transaction_session_timeout: '60s',
    // By default PostgreSQL would use two more cores for a large read.
    max_parallel_workers_per_gather: '0',
    ...CITUS,
    ...(work !== 'job' && work !== 'background' && BY_INDEX),
    ...(work === 'events' && { lock_timeout: `${LOCK_SECONDS}s` }),
  };
  return reportingToQueries(
    new pg.Pool({
      connectionString: url,
      max: poolSize,
      pipeline,
      types: rowTypes,
      options: sessionOptions(settings),
      application_name: `guildhall ${role}`,
      connectionTimeoutMillis: 10_000,
      query_timeout: (seconds + SILENT_SECONDS + (work === 'heavy' ? PARTITION_CHANGE_SECONDS : 0)) * 1000,
      ...(work === 'heavy' && { maxLifetimeSeconds: HEAVY_LIFETIME_SECONDS }),
    }),
  );
}

/** Opens a pool of the owner of the tables, for work that changes them. */
export function openOwnerPool(url: string, max: number): pg.Pool {
  return reportingToQueries(
    new pg.Pool({
      connectionString: url,
      max,
      options: sessionOptions(),
      application_name: 'guildhall owner',
      ...KEEP_ALIVE,
    }),
  );
}

/** Without these listeners, a connection that breaks would end the process. */
function reportingToQueries(pool: pg.Pool): pg.Pool {
  // The pool replaces a broken idle connection. If the problem persists, the next query reports it.
  pool.on('error', () => {});
  // A broken connection in use reports to its queries.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
