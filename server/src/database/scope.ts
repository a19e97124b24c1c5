import type pg from 'pg';
import type { BillingContext } from '../core/billing-context.ts';
import { statementChannel } from '../core/statement-channel.ts';
import { commitFor } from './charges.ts';
import { isDeadlock, isReadOnly } from './errors.ts';
import { inOnePacket, streamOf } from './packets.ts';
import { rowTypes } from './row-types.ts';
import { isPrepared, type Sql } from './sql.ts';

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

export interface ScopeOptions {
  billing?: BillingContext | undefined;
  /** If aborted, a transaction fails, and its connection is closed. */
  signal?: AbortSignal | undefined;
  /** Runs each statement and transaction. */
  inTurn?: InTurn;
  /** Sends the statements that begin a transaction one by one, instead of in one text, which takes less time. */
  oneByOne?: boolean;
}

/** Like `RunInTurn`, for one owner. */
type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

const atOnce: InTurn = (work) => work();

/**
 * Creates a scope of the connections of a pool. Its transactions, and the transaction of each single statement, start with the statements
 * `settings`. A scope without settings runs single statements without a transaction of their own.
 */
export function createScope(
  pool: pg.Pool,
  settings: string[],
  { billing, signal, inTurn = atOnce, oneByOne = false }: ScopeOptions = {},
): Scope {
  const texts = ['BEGIN', ...settings];
  const begin = oneByOne ? texts : [texts.join('; ')];
  const runAlone = (statement: Sql): Promise<pg.QueryResult> =>
    settings.length === 0 ? pool.query(named(statement)) : runSingle(pool, begin, statement, billing);
  return {
    ...querier((statement) => retryDeadlocks(() => runAlone(statement)), inTurn),
    transaction: (work) =>
      inTurn(() => retryDeadlocks(() => runTransaction(pool, begin, work, billing, signal))),
  };
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
  begin: string[],
  work: (transaction: Querier) => Promise<Result>,
  billing: BillingContext | undefined,
  signal: AbortSignal | undefined,
): Promise<Result> {
  signal?.throwIfAborted();
  const client = await pool.connect();
  let broken: Error | undefined;
  let begun: Promise<unknown> = Promise.resolve();
  const cutOff = (): void => void streamOf(client).destroy();
  signal?.addEventListener('abort', cutOff);
  try {
    signal?.throwIfAborted();
    // Not awaited: the connection is pipelined, so this is sent together with the first statement.
    inOnePacket(client);
    begun = queryEach(client, begin);
    begun.catch(() => {});
    const result = await work(querier(untilFailure((statement) => client.query(named(statement)))));
    await begun;
    const committed = await client.query(commitFor(billing));
    // For the COMMIT of a failed transaction PostgreSQL returns ROLLBACK without an error.
    if ([committed].flat().at(-1)?.command !== 'COMMIT')
      throw new Error('The transaction was rolled back, because one of its statements failed.');
    if (billing) billing.chargedTransactions++;
    return result;
  } catch (failure) {
    // If a statement of `begin` has failed, those of `work` fail with an error that does not say why.
    const error: unknown = await begun.then(
      () => failure,
      (first: unknown) => first,
    );
    broken = standbyError(error);
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

const queryEach = (client: pg.ClientBase, texts: string[]): Promise<unknown> =>
  Promise.all(texts.map((text) => client.query(text)));

/** Runs one statement in its own transaction, in one round trip. */
async function runSingle(
  pool: pg.Pool,
  begin: string[],
  statement: Sql,
  billing: BillingContext | undefined,
): Promise<pg.QueryResult> {
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
  } catch (error) {
    broken ??= standbyError(error);
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Returns an error that says that PostgreSQL takes no writes. Then the connection must close. It may lead to a standby, and after a
 * failover a new one leads to the primary.
 */
const standbyError = (error: unknown): Error | undefined => (isReadOnly(error) ? error : undefined);

type Execute = (statement: Sql) => Promise<pg.QueryResult>;

/** Creates a querier of statements that `execute` runs. */
export function querier(execute: Execute, inTurn: InTurn = atOnce): Querier {
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

/** Returns a querier of a connection of the owner of the tables, which does not prepare its statements. */
export function ownerQuerier(owner: pg.Pool | pg.ClientBase): Querier {
  return querier(({ text, values }) => owner.query({ text, values, types: rowTypes }));
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
