import { availableParallelism } from 'node:os';
import type { BillingContext } from '../core/billing-context.ts';
import { advisoryLocks } from './advisory-locks.ts';
import { createContestedWrites } from './contested-writes.ts';
import { createKeyWrites } from './key-writes.ts';
import { countHeavySlots, createHeavySlots, type FindOwner } from './heavy-reads.ts';
import { openPool } from './pool.ts';
import { measurePool } from './pool-metrics.ts';
import { shareOf } from '../core/share.ts';
import { createScope, type Querier, type Scope, type ScopeOptions } from './scope.ts';
import { idLiteral, sql } from './sql.ts';

export type { Querier, Scope };

/**
 * The application's access to PostgreSQL. Its connections use the role `guildhall_app`, which owns nothing and is
 * subject to row-level security. Outside of a scope, the tables of tenants look empty.
 */
export interface Database extends Scope {
  /**
   * A scope in which only the rows of one tenant are visible. With a player, the player's devices are visible too, and transactions take
   * turns: use it for each transaction of the console or of a portal sign-in that locks a player. A transaction that waits for its turn for
   * too long throws busy.
   */
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
   * rows of the player. With `billing` it charges like {@link forKey}. Transactions of a player take turns. One that waits for its turn
   * for too long throws busy. Never begin one inside another.
   */
  forPlayer(playerId: string, billing?: BillingContext): Scope;
  /** A scope in which the rows of one workspace, and the audit records of its tenants, are visible. */
  forWorkspace(workspaceId: string): Scope;
  /** A scope in which only the rows of one console account are visible. */
  forAccount(accountId: string): Scope;
  /** A scope for the worker and for platform admins, in which the rows of all workspaces and accounts are visible. */
  forPlatform(): Scope;
  /** Scopes for large reads: event lists, exports, analytics, usage reports, searches, lists and counts of sessions. */
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
interface HeavyReads {
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

interface DatabaseOptions {
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
  const playerTurns = createContestedWrites({ atOnce: Math.max(1, Math.floor(poolSize / 2)) });
  /**
   * Transactions lock the player or a session of the player, so they take turns. Half of the connections remains, even if many players are
   * locked. Single statements do not wait for a turn: most of them read, and some read what a profile shows to others.
   */
  const inPlayerTurns = (owner: string, scope: Scope): Scope => ({
    ...scope,
    transaction: (work) => playerTurns(owner, () => scope.transaction(work)),
  });
  measurePool(work, pool);
  measurePool('heavy', heavyPool, () => slots.waiting());
  const scopeOf = (settings: string[], options?: ScopeOptions): Scope => createScope(pool, settings, options);
  const unscoped = scopeOf([]);
  const ownerOf = async (id: string): Promise<string> =>
    (await unscoped.one<{ owner: string }>(sql`SELECT guildhall_owner_of_reads(${id}) AS owner`)).owner;
  const heavyScope = (
    reader: string,
    settings: string[],
    options?: { patient?: boolean; signal?: AbortSignal | undefined; ownerOf?: FindOwner },
  ): Scope =>
    createScope(heavyPool, [...settings, SHARE_LARGE_READS], {
      signal: options?.signal,
      inTurn: (work) => slots.run(reader, work, options),
      // Citus sends the whole text of a SET LOCAL to its nodes. A second BEGIN there would be a warning in the log.
      oneByOne: true,
    });
  return {
    ...unscoped,
    forTenant(tenantId, playerId) {
      const scope = scopeOf(tenantSettings(tenantId, playerId));
      // These transactions have a queue of their own. In the player's queue, the player's own requests could delay a ban.
      return playerId === undefined ? scope : inPlayerTurns(`${tenantId} ${playerId}`, scope);
    },
    forBatch: (tenantId) => scopeOf([...tenantSettings(tenantId), ...ARRAY_PLANS]),
    forKey: (billing, playerId) =>
      scopeOf(tenantSettings(billing.tenantId, playerId), {
        billing,
        inTurn: (work) => keyWrites(billing.tenantId, work),
      }),
    forPlayer: (playerId, billing) => inPlayerTurns(playerId, scopeOf(playerSettings(playerId), { billing })),
    forWorkspace: (workspaceId) => scopeOf([setting('workspace_id', workspaceId)]),
    forAccount: (accountId) => scopeOf([setting('account_id', accountId)]),
    forPlatform: () => scopeOf(["SET LOCAL guildhall.platform = 'on'"]),
    heavy: {
      forTenant: (tenantId, options) =>
        heavyScope(tenantId, tenantSettings(tenantId, options?.playerId), { ...options, ownerOf }),
      forPlayer: (playerId) => heavyScope(playerId, playerSettings(playerId)),
      forWorkspace: (workspaceId) =>
        heavyScope(workspaceId, [setting('workspace_id', workspaceId)], { ownerOf }),
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
export async function enterScope(transaction: Querier, name: SettingName, id: string): Promise<void> {
  await transaction.run(sql`SELECT set_config(${`guildhall.${name}`}, ${id}, true)`);
}

type SettingName = 'tenant_id' | 'player_id' | 'workspace_id' | 'account_id';

/** Returns the statement that sets what row-level security policies read. */
const setting = (name: SettingName, id: string): string => `SET LOCAL guildhall.${name} = ${idLiteral(id)}`;

const tenantSettings = (tenantId: string, playerId?: string): string[] => [
  setting('tenant_id', tenantId),
  ...(playerId === undefined ? [] : [setting('player_id', playerId)]),
];

const playerSettings = (playerId: string): string[] => [
  setting('player_id', playerId),
  'SET LOCAL ROLE guildhall_player',
];

/** Waits while a change of partitions needs all large reads to end (docs/decisions/0039-partition-steps.md). */
const SHARE_LARGE_READS = `SELECT pg_advisory_xact_lock_shared(${advisoryLocks.largeReads})`;

/** The settings of {@link Database.forBatch}. */
const ARRAY_PLANS = ['SET LOCAL plan_cache_mode = force_generic_plan', 'SET LOCAL enable_seqscan = off'];

/** Charges one unit for a repeated request that writes nothing. A hard stop does not refuse it. */
export function chargeRepeat(database: Database, billing: BillingContext): Promise<void> {
  billing.passesHardStop = true;
  return database.forKey(billing).transaction(async () => {});
}
