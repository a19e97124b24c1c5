import type { TimeRange } from '../../../core/time-range.ts';
import type { Querier } from '../../../database/database.ts';
import { sql, type Sql } from '../../../database/sql.ts';
import { bucketStart } from '../../../database/time-buckets.ts';
import type { SessionRollupSpan } from './split-range.ts';

/**
 * Returns the start of the current hour, and a transaction ID higher than all earlier ones. A new hour counts one minute
 * late, in case the clock of the database is set back a little.
 */
export function readClock(db: Querier): Promise<{ hour: string; transactionId: string }> {
  return db.one(sql`
    SELECT date_trunc('hour', statement_timestamp() - interval '1 minute', 'UTC') AS hour,
           pg_current_xact_id()::text AS "transactionId"`);
}

/** Returns whether all transactions with a lower ID have ended and their rows are visible. */
export async function hasSettled(db: Querier, transactionId: string): Promise<boolean> {
  const { settled } = await db.one<{ settled: boolean }>(sql`
    SELECT pg_snapshot_xmin(pg_current_snapshot()) >= ${transactionId}::xid8 AS settled`);
  return settled;
}

/**
 * Returns the hours to roll up next. They begin with the hour of the first ledger row that is not rolled up, and end with
 * its day or at `until`. Returns undefined if there is no such row before `until`.
 */
export function findNextHours(
  db: Querier,
  tenantId: string,
  until: string,
): Promise<{ from: string; to: string } | undefined> {
  const first = (ledger: Sql) => sql`(
    SELECT min(received_at_db) FROM ${ledger}
    WHERE tenant_id = ${tenantId} AND received_at_db < ${until}
      AND received_at_db >= coalesce((SELECT rolled_up_to FROM session_rollups WHERE tenant_id = ${tenantId}), '-infinity'))`;
  return db.row(sql`
    SELECT date_trunc('hour', first, 'UTC') AS from,
           least(${until}::timestamptz, date_trunc('day', first, 'UTC') + interval '24 hours') AS to
    FROM (SELECT least(${first(sql`login_ledger`)}, ${first(sql`logout_ledger`)}) AS first) next
    WHERE first IS NOT NULL`);
}

interface RollupState {
  rolledUpTo: string;
  numberedPlayers: number;
}

/** Reads and locks the roll-up state of a tenant, so that only one process at a time rolls up a tenant. */
export async function lockState(db: Querier, tenantId: string): Promise<RollupState> {
  await db.run(sql`INSERT INTO session_rollups (tenant_id) VALUES (${tenantId}) ON CONFLICT DO NOTHING`);
  return db.one(sql`
    SELECT rolled_up_to AS "rolledUpTo", numbered_players AS "numberedPlayers"
    FROM session_rollups WHERE tenant_id = ${tenantId} FOR UPDATE`);
}

export async function saveState(db: Querier, tenantId: string, state: RollupState): Promise<void> {
  await db.run(sql`
    UPDATE session_rollups SET rolled_up_to = ${state.rolledUpTo}, numbered_players = ${state.numberedPlayers}
    WHERE tenant_id = ${tenantId}`);
}

/** A range of hours in a tenant's ledgers. */
interface Hours extends TimeRange {
  tenantId: string;
}

/** The condition of the ledger rows of a range. */
export const inLedger = (tenantId: string, { from, to }: TimeRange): Sql =>
  sql`tenant_id = ${tenantId} AND received_at_db >= ${from} AND received_at_db < ${to}`;

/**
 * Selects the number of the player of `login`. LIMIT 1 forces an index lookup per player. Without it, and without statistics
 * about a new tenant, PostgreSQL chose a join that took 50 times as long.
 */
export const playerNumberQuery = (tenantId: string): Sql => sql`(
  SELECT number FROM player_numbers WHERE tenant_id = ${tenantId} AND player_id = login.player_id LIMIT 1)`;

/** A row of the roll-up of players has a bit for each of 4,096 numbers. These are the page of a number, and a page with its bit only. */
export const PAGE = sql`number / 4096`;
export const PLAYER_BIT = sql`set_bit(0::bit(4096), number % 4096, 1)`;

/** Assigns the next numbers to players who signed in for the first time. Returns the number of these players. */
export function numberPlayers(db: Querier, hours: Hours, nextNumber: number): Promise<number> {
  return db.run(sql`
    INSERT INTO player_numbers (tenant_id, player_id, number)
    SELECT ${hours.tenantId}, player_id, ${nextNumber} + row_number() OVER (ORDER BY first) - 1
    FROM (SELECT player_id, min(received_at_db) AS first FROM login_ledger WHERE ${inLedger(hours.tenantId, hours)} GROUP BY player_id) login
    LEFT JOIN LATERAL ${playerNumberQuery(hours.tenantId)} known ON true
    WHERE known.number IS NULL`);
}

/** Counts the ledger rows of each hour. */
export async function rollUpHours(db: Querier, hours: Hours): Promise<void> {
  await db.run(sql`
    INSERT INTO login_rollups (tenant_id, span, starts_at, platform, auth_provider, logins)
    SELECT tenant_id, 'hour', ${bucketStart('hour', sql`received_at_db`)} AS hour, platform, auth_provider, count(*)
    FROM login_ledger WHERE ${inLedger(hours.tenantId, hours)}
    GROUP BY tenant_id, hour, platform, auth_provider`);
  await db.run(sql`
    INSERT INTO logout_rollups (tenant_id, span, starts_at, logouts)
    SELECT tenant_id, 'hour', ${bucketStart('hour', sql`received_at_db`)} AS hour, count(*)
    FROM logout_ledger WHERE ${inLedger(hours.tenantId, hours)}
    GROUP BY tenant_id, hour`);
  await db.run(sql`
    INSERT INTO player_rollups (tenant_id, span, starts_at, page, players)
    SELECT ${hours.tenantId}, 'hour', hour, ${PAGE} AS page, bit_or(${PLAYER_BIT})
    FROM (
      SELECT DISTINCT ${bucketStart('hour', sql`received_at_db`)} AS hour, player_id
      FROM login_ledger WHERE ${inLedger(hours.tenantId, hours)}) login
    CROSS JOIN LATERAL ${playerNumberQuery(hours.tenantId)} known
    GROUP BY hour, page`);
}

/** Rolls up hours into days, or days into months, for the days or months that end between `from` and `to`. */
export async function rollUpSpan(
  db: Querier,
  span: Exclude<SessionRollupSpan, 'hour'>,
  { tenantId, from, to }: Hours,
): Promise<void> {
  const start = sql`${bucketStart(span, sql`starts_at`)} AS start`;
  const finer = sql`
    tenant_id = ${tenantId} AND span = ${span === 'day' ? 'hour' : 'day'}
      AND starts_at >= date_trunc(${span}, ${from}::timestamptz, 'UTC')
      AND starts_at < date_trunc(${span}, ${to}::timestamptz, 'UTC')`;
  await db.run(sql`
    INSERT INTO login_rollups (tenant_id, span, starts_at, platform, auth_provider, logins)
    SELECT tenant_id, ${span}, ${start}, platform, auth_provider, sum(logins)
    FROM login_rollups WHERE ${finer} GROUP BY tenant_id, start, platform, auth_provider`);
  await db.run(sql`
    INSERT INTO logout_rollups (tenant_id, span, starts_at, logouts)
    SELECT tenant_id, ${span}, ${start}, sum(logouts) FROM logout_rollups WHERE ${finer} GROUP BY tenant_id, start`);
  await db.run(sql`
    INSERT INTO player_rollups (tenant_id, span, starts_at, page, players)
    SELECT tenant_id, ${span}, ${start}, page, bit_or(players)
    FROM player_rollups WHERE ${finer} GROUP BY tenant_id, start, page`);
}
