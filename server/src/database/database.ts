import { availableParallelism } from 'node:os';
import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { BillingContext } from '../core/billing-context.ts';
import { isGuid } from '../core/ids.ts';
import { createFairSemaphore } from './fair-semaphore.ts';
import { rowTypes } from './row-types.ts';
import { sql, type Sql } from './sql.ts';

/** Runs statements. Features take one of these, and their caller decides whether it is a transaction. */
export interface Querier {
  /** All rows of a statement. */
  rows<Row>(statement: Sql): Promise<Row[]>;
  /** The first row of a statement, or undefined. */
  row<Row>(statement: Sql): Promise<Row | undefined>;
  /** What a statement selects as `count`; 0 where that is nothing. */
  count(statement: Sql): Promise<number>;
  /** How many rows a statement changed. */
  run(statement: Sql): Promise<number>;
}

/** A {@link Querier} that can also run several statements as one. */
export interface Scope extends Querier {
  /**
   * Commits what `work` did, or, where it throws, undoes all of it. Where PostgreSQL ends the transaction because it and another
   * waited for each other, `work` runs again: it must change nothing but the database.
   */
  transaction<Result>(work: (transaction: Querier) => Promise<Result>): Promise<Result>;
}

/**
 * The application's door to PostgreSQL. Its connections act as the role `guildhall_app`, which owns nothing and is
 * subject to row-level security: outside of a tenant's or a player's scope the tables of tenants look empty to it.
 */
export interface Database extends Scope {
  /** The same door with one tenant's rows visible, and no other's. With a player, their devices are visible too. */
  forTenant(tenantId: string, playerId?: string): Scope;
  /**
   * The door for what an accepted request on a key writes: that of its tenant, where every statement and every transaction that
   * commits is charged one unit. So what refuses the request must throw, and whatever else it needs is done in other scopes.
   */
  forKey(billing: BillingContext, playerId?: string): Scope;
  /**
   * A door for one player over all tenants: as the role `guildhall_player`, which sees and changes their rows alone. With a
   * charge, as {@link forKey}.
   */
  forPlayer(playerId: string, billing?: BillingContext): Scope;
  /** The same door with the audit records of one workspace visible, those of its tenants included. */
  forWorkspace(workspaceId: string): Scope;
  /** The rows of one dashboard account, and no other's. */
  forAccount(accountId: string): Scope;
  /** All audit records, webhooks, notifications and invitations: for the platform admin and the worker. */
  forPlatform(): Scope;
  /** The door for large reads: event lists, exports, analytics, searches, session lists. */
  heavy: HeavyReads;
  /** Closes all connections once their work is done. */
  close(): Promise<void>;
}

/**
 * Large reads have a few connections of their own, and each tenant or player gets some of them: so whoever reads much slows
 * neither the sign-ins of others nor their reads. Throws too_many_reads and busy. An export, which has begun to answer and must
 * be bounded where it begins, reads as `patient`: its statements wait and are never refused.
 */
export interface HeavyReads {
  forTenant(tenantId: string, options?: { patient?: boolean; playerId?: string }): Scope;
  forPlayer(playerId: string, options?: { patient?: boolean }): Scope;
}

/** How long PostgreSQL works on a statement before it cancels it, in seconds, for each class of work. */
const STATEMENT_SECONDS = { request: 10, heavy: 30, events: 30, job: 600 };

/**
 * Large reads take half of the cores, and those of one tenant half of that, as PostgreSQL often runs on the same machine: 40
 * reads in parallel leave honest sign-ins more than half of their rate.
 */
const HEAVY_RUNNING = Math.max(2, Math.floor(availableParallelism() / 2));
const HEAVY_READS = {
  running: HEAVY_RUNNING,
  runningPerOwner: Math.floor(HEAVY_RUNNING / 2),
  waitingPerOwner: 16,
  waitMs: 10_000,
};

/**
 * How many connections one process keeps. PostgreSQL does its best work with about twice as many active connections
 * as cores; more only wait there instead of here.
 */
const POOL_SIZE = 16;

/** Opens the application's connections. `url` is a connection string, or the folder of a Unix socket. */
export function openDatabase(
  url: string,
  { poolSize = POOL_SIZE, work = 'request' }: { poolSize?: number; work?: 'request' | 'job' } = {},
): Database {
  const pool = openPool(url, 'guildhall_app', { poolSize, pipeline: true, work });
  const heavyPool = openPool(url, 'guildhall_app', {
    poolSize: HEAVY_READS.running,
    pipeline: true,
    work: 'heavy',
  });
  const slots = createFairSemaphore(HEAVY_READS);
  const heavyScope = (owner: string, begin: string, options?: { patient?: boolean }): Scope =>
    within((work) => slots.run(owner, work, options), scope(heavyPool, begin));
  return {
    ...scope(pool, 'BEGIN'),
    forTenant: (tenantId, playerId) => scope(pool, beginForTenant(tenantId, playerId)),
    forKey: (billing, playerId) => scope(pool, beginForTenant(billing.tenantId, playerId), billing),
    forPlayer: (playerId, billing) => scope(pool, beginForPlayer(playerId), billing),
    forWorkspace: (workspaceId) => scope(pool, beginFor('workspace_id', workspaceId)),
    forAccount: (accountId) => scope(pool, beginFor('account_id', accountId)),
    forPlatform: () => scope(pool, "BEGIN; SET LOCAL guildhall.platform = 'on'"),
    heavy: {
      forTenant: (tenantId, options) =>
        heavyScope(tenantId, beginForTenant(tenantId, options?.playerId), options),
      forPlayer: (playerId, options) => heavyScope(playerId, beginForPlayer(playerId), options),
    },
    async close() {
      await Promise.all([pool.end(), heavyPool.end()]);
    },
  };
}

/** Opens a pool whose connections act as `role` from their first moment on. */
export function openPool(
  url: string,
  role: string,
  options: { poolSize: number; pipeline: boolean; work?: keyof typeof STATEMENT_SECONDS },
): pg.Pool {
  const settings = {
    role,
    timezone: 'UTC',
    statement_timeout: `${STATEMENT_SECONDS[options.work ?? 'request']}s`,
    idle_in_transaction_session_timeout: '60s',
    // A statement takes one core. PostgreSQL would give a large read two more.
    max_parallel_workers_per_gather: '0',
  };
  const pool = new pg.Pool({
    connectionString: url,
    max: options.poolSize,
    pipeline: options.pipeline,
    types: rowTypes,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    application_name: `guildhall ${role}`,
    connectionTimeoutMillis: 10_000,
  });
  // An idle connection that breaks is replaced by the pool; the next query reports what is wrong, if it still is.
  pool.on('error', () => {});
  // One that breaks while it is in use tells its queries, and would end the process if nobody listened here too.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Whether an error is PostgreSQL's refusal of a duplicate, of the named constraint or of any. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === '23505' &&
    (!constraint || error.constraint === constraint)
  );
}

/** The reason for which a statement refused itself by guildhall_refuse(reason); undefined for any other error. */
export function refusalOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code === 'GH001' ? error.message : undefined;
}

/**
 * What a statement gives, or undefined if it refused itself for this reason. Not for a statement of a longer transaction, which
 * the refusal has ended.
 */
export async function unlessRefused<Result>(
  reason: string,
  statement: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await statement;
  } catch (error) {
    if (refusalOf(error) === reason) return undefined;
    throw error;
  }
}

/** Whether nothing of a transaction was done, for sure: PostgreSQL itself said so, or there was no connection to begin it on. */
export function isUndone(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return true;
  const { code, message } = error as NodeJS.ErrnoException;
  return (
    code === 'ECONNREFUSED' || code === 'ENOENT' || message === 'timeout exceeded when trying to connect'
  );
}

/** Whether an error is the refusal of what would pass a plan's hard stop. */
export function isQuotaExceeded(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === 'GH002';
}

/** Whether an error is PostgreSQL ending one of two transactions that waited for each other. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '40P01';
}

/** Lets the running transaction also act for a tenant, a workspace or an account that it has found or is about to create. */
export async function enterScope(transaction: Querier, setting: ScopeSetting, id: string): Promise<void> {
  await transaction.run(sql`SELECT set_config(${`guildhall.${setting}`}, ${id}, true)`);
}

type ScopeSetting = 'tenant_id' | 'player_id' | 'workspace_id' | 'account_id';

/** Begins a transaction that speaks for a tenant, a player or a workspace: the walls let it see what belongs to that. */
function beginFor(setting: ScopeSetting, id: string): string {
  return `BEGIN; SET LOCAL guildhall.${setting} = ${literal(id)}`;
}

function beginForTenant(tenantId: string, playerId: string | undefined): string {
  const begin = beginFor('tenant_id', tenantId);
  return playerId === undefined ? begin : `${begin}; SET LOCAL guildhall.player_id = ${literal(playerId)}`;
}

function beginForPlayer(playerId: string): string {
  return `${beginFor('player_id', playerId)}; SET LOCAL ROLE guildhall_player`;
}

/** An identifier as part of the text of a statement: nothing but a UUID may pass. */
function literal(id: string): string {
  if (!isGuid(id)) throw new TypeError(`"${id}" is not an identifier.`);
  return `'${id}'`;
}

function scope(pool: pg.Pool, begin: string, billing?: BillingContext): Scope {
  return {
    ...querier((statement) => againAfterDeadlock(() => single(pool, begin, statement, billing))),
    transaction: (work) => againAfterDeadlock(() => transact(pool, begin, work, billing)),
  };
}

/** A scope whose every statement and transaction is run by `run`. */
function within(run: <Result>(work: () => Promise<Result>) => Promise<Result>, inner: Scope): Scope {
  return {
    rows: (statement) => run(() => inner.rows(statement)),
    row: (statement) => run(() => inner.row(statement)),
    count: (statement) => run(() => inner.count(statement)),
    run: (statement) => run(() => inner.run(statement)),
    transaction: (work) => run(() => inner.transaction(work)),
  };
}

/** Ends a transaction, with the unit that it is charged: in one text, which costs 22 µs, and 30 in two. */
function commitFor(billing: BillingContext | undefined): string {
  return billing ? `${chargeText(billing, 1)}; COMMIT` : 'COMMIT';
}

/** Charges units, as text to stand among other statements. */
export function chargeText({ workspaceId, tenantId, keyId }: BillingContext, units: number): string {
  return `CALL guildhall_charge_units(${[workspaceId, tenantId, keyId].map(literal).join(', ')}, ${units})`;
}

/** Charges one unit for a request that is accepted again and writes nothing. */
export function chargeAlone(database: Database, billing: BillingContext): Promise<void> {
  return database.forKey(billing).transaction(async () => {});
}

/** Charges units for requests on a key: the last statement of their transaction. */
export function chargeUnits({ workspaceId, tenantId, keyId }: BillingContext, units: number): Sql {
  return sql`SELECT guildhall_charge(${workspaceId}, ${tenantId}, ${keyId}, ${units})`;
}

/**
 * How often work is tried that meets a deadlock. Most work takes its locks in one order (decision 0011); this is for what cannot,
 * as a ban and a block at once with a merge, and for what nobody foresaw.
 */
const ATTEMPTS = 3;

async function againAfterDeadlock<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isDeadlock(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function transact<Result>(
  pool: pg.Pool,
  begin: string,
  work: (transaction: Querier) => Promise<Result>,
  billing: BillingContext | undefined,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    // Not awaited: the connection is pipelined, so this leaves together with the first statement.
    inOnePacket(client);
    const begun = client.query(begin);
    begun.catch(() => {});
    const result = await work(querier((statement) => client.query(named(statement))));
    await begun;
    const committed = await client.query(commitFor(billing));
    // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK, and no error.
    if ([committed].flat().at(-1)?.command !== 'COMMIT')
      throw new Error('The transaction was rolled back: one of its statements had failed.');
    if (billing) billing.chargedTransactions++;
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((cause: Error) => {
      broken = cause;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** One statement in a transaction of its own, all in one round trip. */
async function single(
  pool: pg.Pool,
  begin: string,
  statement: Sql,
  billing: BillingContext | undefined,
): Promise<pg.QueryResult> {
  if (begin === 'BEGIN') return pool.query(named(statement));
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    inOnePacket(client);
    const [begun, result, committed] = await Promise.allSettled([
      client.query(begin),
      client.query(named(statement)),
      client.query(commitFor(billing)),
    ]);
    // What is charged is not committed by a text whose charge was refused, nor rolled back.
    if (billing && committed.status === 'rejected')
      await client.query('ROLLBACK').catch((cause: Error) => {
        broken = cause;
      });
    if (begun.status === 'rejected') throw begun.reason;
    if (result.status === 'rejected') throw result.reason;
    if (committed.status === 'rejected') throw committed.reason;
    if (billing) billing.chargedTransactions++;
    return result.value;
  } finally {
    client.release(broken);
  }
}

/** Holds what is sent in this turn of the event loop back to its end: one system call, and one awakening of PostgreSQL. */
function inOnePacket(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

function querier(execute: (statement: Sql) => Promise<pg.QueryResult>): Querier {
  return {
    rows: async <Row>(statement: Sql) => (await execute(statement)).rows as Row[],
    row: async <Row>(statement: Sql) => (await execute(statement)).rows[0] as Row | undefined,
    count: async (statement) => (await execute(statement)).rows[0]?.count ?? 0,
    run: async (statement) => (await execute(statement)).rowCount ?? 0,
  };
}

/**
 * A prepared statement for every text, named by its order of appearance: PostgreSQL parses and plans it once a
 * connection. Texts are few, as lists go in as arrays; beyond the bound a statement runs unprepared.
 */
function named(statement: Sql): pg.QueryConfig {
  const { text, values } = statement;
  let name = names.get(text);
  if (name === undefined && names.size < 1000) names.set(text, (name = `s${names.size}`));
  return { name, text, values };
}

const names = new Map<string, string>();
