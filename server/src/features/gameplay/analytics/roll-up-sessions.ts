import { setTimeout as wait } from 'node:timers/promises';
import type { Database, Scope } from '../../../database/database.ts';
import {
  findNextHours,
  hasSettled,
  listTenantIds,
  lockState,
  numberPlayers,
  readClock,
  rollUpHours,
  rollUpSpan,
  saveState,
} from './rollup-queries.ts';

/** How long to wait for transactions under way before the next run is left to do it. */
const SETTLE_MS = 5_000;

/**
 * Counts what came into the session ledgers by hours, days and months, up to the last hour that is over for every transaction.
 * A tenant's day is one transaction, which begins where the last one ended: a process that dies in between loses and
 * doubles nothing, and so does a second one at the same time.
 */
export async function rollUpSessions(database: Database): Promise<void> {
  const until = await settledHour(database);
  if (until === undefined) return;
  for (const { id } of await listTenantIds(database.forPlatform())) {
    const tenant = database.forTenant(id);
    while (await rollUpNextDay(tenant, id, until));
  }
}

/**
 * The last hour in which no ledger row can appear any more; undefined where a transaction stays open for too long.
 * received_at_db is earlier than the commit. But a row's transaction had its id by then: so once all transactions have ended
 * whose ids were given before the clock was read, all rows from before that reading are there.
 */
async function settledHour(database: Database): Promise<string | undefined> {
  const { hour, transactionId } = await readClock(database);
  const deadline = Date.now() + SETTLE_MS;
  while (!(await hasSettled(database, transactionId))) {
    if (Date.now() > deadline) return undefined;
    await wait(100);
  }
  return hour;
}

/** Rolls up the next day that has rows, or what of it lies before `until`. False where there is none. */
async function rollUpNextDay(tenant: Scope, tenantId: string, until: string): Promise<boolean> {
  if (!(await findNextHours(tenant, tenantId, until))) return false;
  return tenant.transaction(async (transaction) => {
    const { rolledUpTo, numberedPlayers } = await lockState(transaction, tenantId);
    // Again, for another process may have done it meanwhile.
    const next = await findNextHours(transaction, tenantId, until);
    if (!next) return false;
    const hours = { tenantId, ...next };
    const newPlayers = await numberPlayers(transaction, hours, numberedPlayers);
    await rollUpHours(transaction, hours);
    const sinceLast = { tenantId, from: rolledUpTo, to: next.to };
    await rollUpSpan(transaction, 'day', sinceLast);
    await rollUpSpan(transaction, 'month', sinceLast);
    await saveState(transaction, tenantId, {
      rolledUpTo: next.to,
      numberedPlayers: numberedPlayers + newPlayers,
    });
    return true;
  });
}
