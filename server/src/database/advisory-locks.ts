import type pg from 'pg';
import type { Querier } from './scope.ts';
import { sql } from './sql.ts';

/**
 * The numbers of all advisory locks. They are arbitrary, and no two tasks share one. Migrations and SQL functions use 7118001 for
 * the creation of roles, 7118018 for the aggregation of usage, and the pairs of 7118 for the usage of a workspace.
 */
export const advisoryLocks = {
  /** Held by the one server that an embedded database may have. */
  embeddedServer: 7_118_000,
  /** Shared by all processes that use an embedded PostgreSQL, and exclusive for the one that stops it. */
  embeddedServerUse: 7_118_005,
  partitions: 7_118_002,
  signingKeys: 7_118_003,
  firstAccount: 7_118_004,
  migrations: 7_118_007,
  invitations: 7_118_016,
  webhooks: 7_118_020,
  chainSender: 7_118_022,
  eventDefinitions: 7_118_025,
  tenantKeys: 7_118_026,
  tenants: 7_118_027,
  eventArchive: 7_118_048,
  eventRollups: 7_118_061,
  rejectedEvents: 7_118_068,
  masterKeys: 7_118_069,
  /** Shared by all large reads, and exclusive for a change of partitions that waits for them. */
  largeReads: 7_118_039,
} as const;

type AdvisoryLock = keyof typeof advisoryLocks;

/**
 * Waits for a lock, and holds it until the transaction ends. With an owner, such as a tenant, the transactions of
 * other owners do not wait. Read what the lock guards in a later statement: only its snapshot includes what was written while this
 * statement waited.
 */
export async function lockUntilCommit(
  transaction: Querier,
  lock: AdvisoryLock,
  owner?: string,
): Promise<void> {
  const number = advisoryLocks[lock];
  await transaction.run(
    owner === undefined
      ? sql`SELECT pg_advisory_xact_lock(${number})`
      : sql`SELECT pg_advisory_xact_lock(${number}, hashtext(${owner}))`,
  );
}

/** Takes a lock until the transaction ends. Returns false if another transaction has it. */
export async function tryLockUntilCommit(transaction: Querier, lock: AdvisoryLock): Promise<boolean> {
  const { granted } = await transaction.one<{ granted: boolean }>(
    sql`SELECT pg_try_advisory_xact_lock(${advisoryLocks[lock]}) AS granted`,
  );
  return granted;
}

/** Waits for a lock, and holds it until the connection is closed. */
export async function waitForLock(client: pg.ClientBase, lock: AdvisoryLock): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [advisoryLocks[lock]]);
}

/** Takes a lock until the connection is closed. Returns false if another connection has it. */
export async function tryLock(client: pg.ClientBase, lock: AdvisoryLock): Promise<boolean> {
  const { rows } = await client.query<{ granted: boolean }>('SELECT pg_try_advisory_lock($1) AS granted', [
    advisoryLocks[lock],
  ]);
  return rows[0]!.granted;
}

/** Releases a lock before the connection is closed. PostgreSQL may notice the end of a connection later. */
export async function unlock(client: pg.ClientBase, lock: AdvisoryLock): Promise<void> {
  await client.query('SELECT pg_advisory_unlock($1)', [advisoryLocks[lock]]);
}
