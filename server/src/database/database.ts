import { availableParallelism } from 'node:os';
import type pg from 'pg';
import type { BillingContext } from '../core/billing-context.ts';
import { isGuid } from '../core/ids.ts';
import { statementChannel } from '../core/statement-channel.ts';
import { isDeadlock } from './errors.ts';
import { createKeyWrites } from './key-writes.ts';
import { countHeavySlots, createHeavySlots, type FindOwner } from './heavy-reads.ts';
import { inOnePacket, streamOf } from './packets.ts';
import { openPool } from './pool.ts';
import { measurePool } from './pool-metrics.ts';
import { shareOf } from '../core/share.ts';
import { isPrepared, sql, type Sql } from './sql.ts';

/** Runs SQL statements. Features accept a Querier, and their caller decides whether it is a transaction. */
export interface Querier {
  /** Returns all rows. */
  rows<Row>(statement: Sql): Promise<Row[]>;
  /** Returns the first row, or undefined. */
  row<Row>(statement: Sql): Promise<Row | undefined>;
  /** Returns the first row of a statement that always returns one. Throws if there is none. */
  one<Row>(statement: Sql): Promise<Row>;
  /** Whether the statement returns a row. */
  exists(statement: Sql): Promise<boolean>;
  /** Returns the selected column `count`, or 0 if there is no row. */
  count(statement: Sql): Promise<number>;
  /** Returns the number of changed rows. */
  run(statement: Sql): Promise<number>;
  /** Whether the statement changes a row. */
  changes(statement: Sql): Promise<boolean>;
}

/** A {@link Querier} that can also run a transaction. */
export interface Scope extends Querier {
  /**
   * Runs `work` in a transaction. Rolls back if it throws. After a deadlock `work` runs again, so it must change
   * nothing but the database.
   */
  transaction<Result>(work: (transaction: Querier) => Promise<Result>): Promise<Result>;
}

/**
 * The application's access to PostgreSQL. Its connections use the role `guildhall_app`, which owns nothing and is
 * subject to row-level security. Outside of a scope, the tables of tenants look empty.
 */
export interface Database extends Scope {
  /** A scope in which only the rows of one tenant are visible. With a player, the player's devices are visible too. */
  forTenant(tenantId: string, playerId?: string): Scope;
  /**
   * The scope of a tenant for statements over arrays. PostgreSQL plans each of them once per connection, and uses indexes only.
   * Otherwise it plans anew for short arrays, which takes longer than the statement, and reads whole tables while it has no
   * statistics. A statement in this scope charges for what it writes.
   */
  forBatch(tenantId: string): Scope;
  /**
   * The scope for the writes of a request on a key. Every statement and transaction that commits in it is charged one
   * unit, or refused by a hard stop if it may not pass it. To reject the request, throw inside the transaction. Use other
   * scopes for all other work.
   */
  forKey(billing: BillingContext, playerId?: string): Scope;
  /**
   * A scope for one player across all tenants. It uses the role `guildhall_player`, which sees and changes only the
   * rows of the player. With `billing` it charges like {@link forKey}.
   */
  forPlayer(playerId: string, billing?: BillingContext): Scope;
  /** A scope in which the rows of one workspace, and the audit records of its tenants, are visible. */
  forWorkspace(workspaceId: string): Scope;
  /** A scope in which only the rows of one console account are visible. */
  forAccount(accountId: string): Scope;
  /** A scope for the worker and for platform admins, in which the rows of all workspaces and accounts are visible. */
  forPlatform(): Scope;
  /** Scopes for large reads: event lists, exports, analytics, searches, session lists. */
  heavy: HeavyReads;
  /** Closes all connections when their work is done. */
  close(): Promise<void>;
}

/**
 * Large reads have their own connections, shared fairly between accounts with their tenants and workspaces, and players, so that they slow
 * neither sign-ins nor the reads of others. Throws too_many_reads and busy.
 * An export reads as `patient`: its response has begun, so its statements wait and are never rejected. It needs a limit
 * of its own.
 * If `signal` is aborted, a transaction of the scope fails, and its connection is closed.
 */
export interface HeavyReads {
  forTenant(
    tenantId: string,
    options?: { patient?: boolean; playerId?: string; signal?: AbortSignal | undefined },
  ): Scope;
  forPlayer(playerId: string): Scope;
  forWorkspace(workspaceId: string): Scope;
}

/**
 * How many connections one server opens. PostgreSQL is fastest with about twice as many active connections as cores.
 * More connections would only wait in PostgreSQL instead of here. Several processes divide them.
 */
const POOL_SIZE = Math.max(16, 2 * availableParallelism());
/** A process with fewer would wait for the disk of PostgreSQL instead of working. */
const LEAST_POOL_SIZE = 4;

export interface DatabaseOptions {
  poolSize?: number;
  work?: 'request' | 'background' | 'job';
  /** How many processes of this server divide the connections. */
  processes?: number;
}

/** Runs work with up to two connections of its own, for jobs that take long. */
export async function withDatabaseAt<Result>(
  url: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase(url, { poolSize: 2, work: 'job' });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Opens the application's connections. `url` is a connection string or the folder of a Unix socket. */
export function openDatabase(
  url: string,
  {
    processes = 1,
    poolSize = shareOf(POOL_SIZE, processes, LEAST_POOL_SIZE),
    work = 'request',
  }: DatabaseOptions = {},
): Database {
  const pool = openPool(url, 'guildhall_app', { poolSize, pipeline: true, work });
  const heavySlots = countHeavySlots(processes);
  const heavyPool = openPool(url, 'guildhall_app', {
    poolSize: heavySlots,
    pipeline: true,
    work: 'heavy',
  });
  const slots = createHeavySlots(heavySlots);
  const keyWrites = createKeyWrites(poolSize);
  measurePool(work, pool);
  measurePool('heavy', heavyPool, () => slots.waiting());
  const unscoped = scope(pool, 'BEGIN');
  const ownerOf = async (id: string): Promise<string> =>
    (await unscoped.one<{ owner: string }>(sql`SELECT guildhall_owner_of_reads(${id}) AS owner`)).owner;
  const heavyScope = (
    reader: string,
    begin: string[],
    options?: { patient?: boolean; signal?: AbortSignal | undefined; ownerOf?: FindOwner },
  ): Scope =>
    // One by one: Citus sends the whole text of a SET LOCAL to its nodes. A second BEGIN there would be a warning in the log.
    scope(heavyPool, begin, {
      signal: options?.signal,
      inTurn: (work) => slots.run(reader, work, options),
    });
  return {
    ...unscoped,
    forTenant: (tenantId, playerId) => scope(pool, oneText(beginForTenant(tenantId, playerId))),
    forBatch: (tenantId) => scope(pool, oneText([...beginForTenant(tenantId), ...ARRAY_PLANS])),
    forKey: (billing, playerId) =>
      scope(pool, oneText(beginForTenant(billing.tenantId, playerId)), {
        billing,
        inTurn: (work) => keyWrites(billing.tenantId, work),
      }),
    forPlayer: (playerId, billing) => scope(pool, oneText(beginForPlayer(playerId)), { billing }),
    forWorkspace: (workspaceId) => scope(pool, oneText(beginFor('workspace_id', workspaceId))),
    forAccount: (accountId) => scope(pool, oneText(beginFor('account_id', accountId))),
    forPlatform: () => scope(pool, "BEGIN; SET LOCAL guildhall.platform = 'on'"),
    heavy: {
      forTenant: (tenantId, options) =>
        heavyScope(tenantId, beginForTenant(tenantId, options?.playerId), { ...options, ownerOf }),
      forPlayer: (playerId) => heavyScope(playerId, beginForPlayer(playerId)),
      forWorkspace: (workspaceId) =>
        heavyScope(workspaceId, beginFor('workspace_id', workspaceId), { ownerOf }),
    },
    async close() {
      await Promise.all([pool.end(), heavyPool.end()]);
    },
  };
}

/**
 * Adds a tenant, player, workspace or account to the scope of a running transaction. Use it for one that the transaction has
 * found or is about to create.
 */
export async function enterScope(transaction: Querier, setting: ScopeSetting, id: string): Promise<void> {
  await transaction.run(sql`SELECT set_config(${`guildhall.${setting}`}, ${id}, true)`);
}

type ScopeSetting = 'tenant_id' | 'player_id' | 'workspace_id' | 'account_id';

/** Returns the statements that begin a transaction in a scope. Row-level security policies read the setting. */
function beginFor(setting: ScopeSetting, id: string): string[] {
  return ['BEGIN', `SET LOCAL guildhall.${setting} = ${literal(id)}`];
}

/** Joins statements into one query text, which takes less time than several. */
const oneText = (statements: string[]): string => statements.join('; ');

/** The settings of {@link Database.forBatch}. */
const ARRAY_PLANS = ['SET LOCAL plan_cache_mode = force_generic_plan', 'SET LOCAL enable_seqscan = off'];

function beginForTenant(tenantId: string, playerId?: string): string[] {
  const begin = beginFor('tenant_id', tenantId);
  return playerId === undefined ? begin : [...begin, `SET LOCAL guildhall.player_id = ${literal(playerId)}`];
}

function beginForPlayer(playerId: string): string[] {
  return [...beginFor('player_id', playerId), 'SET LOCAL ROLE guildhall_player'];
}

/** Quotes an identifier as an SQL literal. Accepts UUIDs only. */
function literal(id: string): string {
  if (!isGuid(id)) throw new TypeError(`"${id}" is not an identifier.`);
  return `'${id}'`;
}

interface ScopeOptions {
  billing?: BillingContext | undefined;
  /** If aborted, a transaction fails, and its connection is closed. */
  signal?: AbortSignal | undefined;
  /** Runs each statement and transaction. */
  inTurn?: InTurn;
}

type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

const atOnce: InTurn = (work) => work();

function scope(
  pool: pg.Pool,
  begin: string | string[],
  { billing, signal, inTurn = atOnce }: ScopeOptions = {},
): Scope {
  return {
    ...querier((statement) => retryDeadlocks(() => runSingle(pool, begin, statement, billing)), inTurn),
    transaction: (work) =>
      inTurn(() => retryDeadlocks(() => runTransaction(pool, begin, work, billing, signal))),
  };
}

/** Returns the SQL that charges one unit and commits. One query text takes 22 µs, two take 30 µs. */
function commitFor(billing: BillingContext | undefined): string {
  if (!billing) return 'COMMIT';
  return `${billing.passesHardStop ? recordText(billing) : chargeText(billing, 1)}; COMMIT`;
}

/** Returns the SQL text that charges units, for a query text with several statements. */
export function chargeText({ workspaceId, tenantId, keyId }: BillingContext, units: number): string {
  return `CALL guildhall_charge_units(${[workspaceId, tenantId, keyId].map(literal).join(', ')}, ${units})`;
}

/** Returns the SQL text that charges one unit, also above a hard stop. */
function recordText({ workspaceId, tenantId, keyId }: BillingContext): string {
  const payer = [workspaceId, tenantId, keyId].map((id) => `ARRAY[${literal(id)}]::uuid[]`).join(', ');
  return `SELECT guildhall_record_usage(${payer}, '{1}', '{0}', '{0}')`;
}

/** Charges one unit for a repeated request that writes nothing. A hard stop does not refuse it. */
export function chargeRepeat(database: Database, billing: BillingContext): Promise<void> {
  billing.passesHardStop = true;
  return database.forKey(billing).transaction(async () => {});
}

/** Charges units for requests on a key. It must be the last statement of their transaction. */
export function chargeUnits({ workspaceId, tenantId, keyId }: BillingContext, units: number | Sql): Sql {
  return sql`SELECT guildhall_charge(${workspaceId}, ${tenantId}, ${keyId}, ${units})`;
}

/**
 * How often work is attempted after deadlocks. Most work takes its locks in one order (docs/decisions/0011-proof-of-address.md).
 * Retries cover the exceptions, such as a ban and a block during a merge.
 */
const MAX_ATTEMPTS = 3;

async function retryDeadlocks<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isDeadlock(error) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function runTransaction<Result>(
  pool: pg.Pool,
  begin: string | string[],
  work: (transaction: Querier) => Promise<Result>,
  billing: BillingContext | undefined,
  signal: AbortSignal | undefined,
): Promise<Result> {
  signal?.throwIfAborted();
  const client = await pool.connect();
  let broken: Error | undefined;
  const cutOff = (): void => void streamOf(client).destroy();
  signal?.addEventListener('abort', cutOff);
  try {
    signal?.throwIfAborted();
    // Not awaited: the connection is pipelined, so this is sent together with the first statement.
    inOnePacket(client);
    const begun = queryEach(client, begin);
    begun.catch(() => {});
    const result = await work(querier(untilFailure((statement) => client.query(named(statement)))));
    await begun;
    const committed = await client.query(commitFor(billing));
    // For the COMMIT of a failed transaction PostgreSQL returns ROLLBACK without an error.
    if ([committed].flat().at(-1)?.command !== 'COMMIT')
      throw new Error('The transaction was rolled back, because one of its statements failed.');
    if (billing) billing.chargedTransactions++;
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((cause: Error) => {
      broken = cause;
    });
    throw error;
  } finally {
    signal?.removeEventListener('abort', cutOff);
    client.release(broken);
  }
}

/**
 * Lets the statements after a failed one throw its error. PostgreSQL refuses them, with an error that says nothing about the reason, and
 * a caller who sends several statements at once may see that error first.
 */
function untilFailure(execute: Execute): Execute {
  let failure: unknown;
  return (statement) =>
    execute(statement).catch((error: unknown) => {
      throw (failure ??= error);
    });
}

/** Runs one query text or several. */
const queryEach = (client: pg.ClientBase, texts: string | string[]): Promise<unknown> =>
  typeof texts === 'string' ? client.query(texts) : Promise.all(texts.map((text) => client.query(text)));

/** Runs one statement in its own transaction, in one round trip. */
async function runSingle(
  pool: pg.Pool,
  begin: string | string[],
  statement: Sql,
  billing: BillingContext | undefined,
): Promise<pg.QueryResult> {
  if (begin === 'BEGIN') return pool.query(named(statement));
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    inOnePacket(client);
    const [begun, result, committed] = await Promise.allSettled([
      queryEach(client, begin),
      client.query(named(statement)),
      client.query(commitFor(billing)),
    ]);
    // If the charge is refused, the text neither commits nor rolls back.
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

type Execute = (statement: Sql) => Promise<pg.QueryResult>;

function querier(execute: Execute, inTurn: InTurn = atOnce): Querier {
  const traced = (statement: Sql): Promise<pg.QueryResult> =>
    inTurn(() =>
      statementChannel.hasSubscribers
        ? statementChannel.tracePromise(() => execute(statement), { text: statement.text })
        : execute(statement),
    );
  return {
    rows: async <Row>(statement: Sql) => (await traced(statement)).rows as Row[],
    row: async <Row>(statement: Sql) => (await traced(statement)).rows[0] as Row | undefined,
    async one<Row>(statement: Sql) {
      const [row] = (await traced(statement)).rows;
      if (row === undefined) throw new Error('The statement returned no row.');
      return row as Row;
    },
    exists: async (statement) => (await traced(statement)).rows.length > 0,
    count: async (statement) => (await traced(statement)).rows[0]?.count ?? 0,
    run: async (statement) => (await traced(statement)).rowCount ?? 0,
    changes: async (statement) => ((await traced(statement)).rowCount ?? 0) > 0,
  };
}

/**
 * Uses a prepared statement for each query text: PostgreSQL parses and plans it once per connection. There are few
 * texts, because lists are array parameters. Beyond 1,000 texts a statement runs unprepared.
 */
function named(statement: Sql): pg.QueryConfig {
  const { text, values } = statement;
  if (!isPrepared(statement)) return { text, values };
  let name = names.get(text);
  if (name === undefined && names.size < 1000) names.set(text, (name = `s${names.size}`));
  return { name, text, values };
}

const names = new Map<string, string>();
