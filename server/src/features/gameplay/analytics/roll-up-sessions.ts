import { setTimeout as sleep } from 'node:timers/promises';
import { runEach } from '../../../core/concurrency/run-each.ts';
import type { Database, Scope } from '../../../database/database.ts';
import { listTenantIds } from '../../studio/tenants/index.ts';
import {
  findNextHours,
  hasSettled,
  lockState,
  numberPlayers,
  readClock,
  rollUpHours,
  rollUpSpan,
  saveState,
} from './rollup-queries.ts';

/** How long to wait for older transactions. After that, the next run retries. */
const SETTLE_MS = 5_000;

/**
 * Rolls up the session ledgers by hour, day and month, up to the last hour that no open transaction can change (see
 * docs/decisions/0018-session-rollups.md). Each day of a tenant is one transaction that continues from the last one. A crash
 * or a second process at the same time therefore loses and duplicates nothing.
 */
export async function rollUpSessions(database: Database): Promise<void> {
  const until = await findSettledHour(database);
  if (until === undefined) return;
  const tenantIds = await listTenantIds(database.forPlatform());
  await runEach(
    tenantIds.map((tenantId) => async () => {
      const tenant = database.forTenant(tenantId);
      while (await rollUpNextDay(tenant, tenantId, until));
    }),
  );
}

/**
 * Returns the last hour to which no ledger row can be added, or undefined if a transaction stays open for too long.
 * `received_at_db` is earlier than the commit, but later than the assignment of the transaction ID. So the function reads the
 * clock and a new transaction ID, then waits until all transactions with lower IDs have ended.
 */
async function findSettledHour(database: Database): Promise<string | undefined> {
  const { hour, transactionId } = await readClock(database);
  const deadline = performance.now() + SETTLE_MS;
  while (!(await hasSettled(database, transactionId))) {
    if (performance.now() > deadline) return undefined;
    await sleep(100);
  }
  return hour;
}

/** Rolls up the next day that has rows, up to `until`. Returns false if there is none. */
async function rollUpNextDay(tenant: Scope, tenantId: string, until: string): Promise<boolean> {
  if (!(await findNextHours(tenant, tenantId, until))) return false;
  return tenant.transaction(async (transaction) => {
    const { rolledUpTo, numberedPlayers } = await lockState(transaction, tenantId);
    // Checks again under the lock, because another process may have rolled up these hours.
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

/** Whether the roll-ups of all tenants have the session ledgers before a time. Then the analytics need no rows from before it. */
export async function isRolledUpTo(database: Database, until: string): Promise<boolean> {
  for (const tenantId of await listTenantIds(database.forPlatform()))
    if (await findNextHours(database.forTenant(tenantId), tenantId, until)) return false;
  return true;
}
