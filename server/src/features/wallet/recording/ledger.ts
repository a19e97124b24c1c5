import pLimit from 'p-limit';
import type { Hex } from 'viem';
import { chargeUnits, isQuotaExceeded, type Database, type Querier } from '../../../database/database.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { ProblemError } from '../../../core/problem.ts';
import { hashedInstant } from '../../../core/row-hash.ts';
import type { Command } from './command.ts';
import { chainEntries, type NewEntry } from './ledger-entry.ts';
import { LedgerState, type Needs } from './ledger-state.ts';
import {
  findMatches,
  findPlayers,
  findSessions,
  insertEntries,
  lockHead,
  writeHead,
  writeMatches,
  writePasswords,
  writePlayers,
  writeSessions,
} from './queries.ts';
import type { Recorder } from './recorders/recorder.ts';

/** Commands that go into one transaction: more would make those behind wait longer, and win nothing. */
const LARGEST_BATCH = 256;

/** Commands of a tenant that wait in this process: about a second's worth. */
const MOST_WAITING = 2_000;

/** Tenants whose batches are written at once. The other connections of the pool are for everybody else. */
const BATCHES_AT_ONCE = 6;

/** An answer, with the transaction hash of the entry that was made for it. */
export type Recorded<Answer> = Answer & { transactionHash: Hex };

export interface WalletLedger {
  /**
   * Enters a command into the tenant's ledger. It is on disk when this resolves, in one chain with what other processes enter.
   * It is charged a unit in the same transaction, where it came on a key. Throws what the command's rules throw, busy and
   * quota_exceeded.
   */
  record<Answer extends object>(
    tenantId: string,
    command: Command<Answer>,
    billing?: BillingContext,
  ): Promise<Recorded<Answer>>;
}

interface Waiting {
  command: Command<object>;
  billing: BillingContext | undefined;
  resolve(answer: Recorded<object>): void;
  reject(reason: unknown): void;
}

/**
 * Opens the ledgers of all tenants. The commands of one tenant wait for each other: while a batch is being written those that
 * come gather for the next one, so a commit is shared by as many as wait for it.
 */
export function createWalletLedger(database: Database, recorder: Recorder): WalletLedger {
  const lines = new Map<string, Waiting[]>();
  const slots = pLimit(BATCHES_AT_ONCE);

  const serve = async (tenantId: string, line: Waiting[]): Promise<void> => {
    while (line.length > 0)
      await slots(() => recordBatch(database, recorder, tenantId, line.splice(0, LARGEST_BATCH)));
    lines.delete(tenantId);
  };

  return {
    record<Answer extends object>(tenantId: string, command: Command<Answer>, billing?: BillingContext) {
      return new Promise<Recorded<Answer>>((resolve, reject) => {
        const waiting = { command, billing, resolve, reject } as Waiting;
        const line = lines.get(tenantId);
        if (!line) {
          const begun = [waiting];
          lines.set(tenantId, begun);
          void serve(tenantId, begun);
        } else if (line.length < MOST_WAITING) line.push(waiting);
        else reject(new ProblemError('busy', { headers: { 'retry-after': '1' } }));
      });
    },
  };
}

/** Writes a batch in one transaction, and tells everybody in it how theirs went. Never throws. */
async function recordBatch(
  database: Database,
  recorder: Recorder,
  tenantId: string,
  batch: Waiting[],
): Promise<void> {
  try {
    const outcomes = await database
      .forTenant(tenantId)
      .transaction((transaction) => writeBatch(transaction, recorder, tenantId, batch));
    // After the commit, so what is answered is on disk.
    batch.forEach(({ billing, resolve, reject }, place) => {
      const outcome = outcomes[place]!;
      if ('refusal' in outcome) return reject(outcome.refusal);
      if (billing) billing.chargedTransactions++;
      resolve(outcome.answer as Recorded<object>);
    });
  } catch (error) {
    // One may still be within the plan where all together are not.
    if (isQuotaExceeded(error) && batch.length > 1)
      for (const one of batch) await recordBatch(database, recorder, tenantId, [one]);
    else for (const { reject } of batch) reject(error);
  }
}

type Outcome = { answer: object } | { refusal: unknown };

async function writeBatch(
  transaction: Querier,
  recorder: Recorder,
  tenantId: string,
  batch: Waiting[],
): Promise<Outcome[]> {
  const all = <Name extends number | string>(named: (needs: Needs) => Name[] | undefined) => [
    ...new Set(batch.flatMap(({ command }) => named(command.needs) ?? [])),
  ];
  // All leave in one packet. What follows on the lock is a statement of its own, and so sees what was committed before it.
  const [head, players, sessions, matches] = await Promise.all([
    lockHead(transaction, tenantId),
    findPlayers(transaction, tenantId, {
      playerIndexes: all((needs) => needs.players),
      playerIds: all((needs) => needs.playerIds),
      addresses: all((needs) => needs.addresses),
    }),
    findSessions(
      transaction,
      tenantId,
      all((needs) => needs.sessions),
    ),
    findMatches(
      transaction,
      tenantId,
      all((needs) => needs.matches),
    ),
  ]);
  const state = new LedgerState(head, { players, sessions, matches });

  const entries: NewEntry[] = [];
  const places: (number | undefined)[] = [];
  const outcomes = batch.map(({ command }, place): Outcome => {
    try {
      const { entry, answer } = command.apply(state);
      if (entry) places[place] = entries.push(entry) - 1;
      return { answer };
    } catch (refusal) {
      return { refusal };
    }
  });
  const paying = batch.flatMap(({ billing }, place) =>
    'answer' in outcomes[place]! && billing ? [billing] : [],
  );
  if (entries.length === 0) {
    await chargeTogether(transaction, paying);
    return outcomes;
  }

  const chained = chainEntries(tenantId, head, hashedInstant(head.now), entries);
  const hashes = await recorder.seal(transaction, tenantId, chained);
  const { changed } = state;
  await Promise.all([
    insertEntries(transaction, chained, hashes),
    writeHead(transaction, tenantId, chained.at(-1)!, state.counts),
    writePlayers(transaction, tenantId, [...changed.players.values()]),
    writeSessions(transaction, tenantId, [...changed.sessions.values()]),
    writeMatches(transaction, tenantId, [...changed.matches.values()]),
    writePasswords(transaction, tenantId, changed.newPasswords, [...changed.droppedPasswords]),
  ]);
  await chargeTogether(transaction, paying);
  return outcomes.map((outcome, place) => {
    const entry = places[place];
    return 'answer' in outcome && entry !== undefined
      ? { answer: { transactionHash: hashes[entry], ...outcome.answer } }
      : outcome;
  });
}

/** Charges a unit for each, those of one key together: the last thing of the transaction. */
async function chargeTogether(transaction: Querier, charges: BillingContext[]): Promise<void> {
  const byKey = Map.groupBy(charges, ({ keyId }) => keyId);
  await Promise.all(
    [...byKey.values()].map((ofKey) => transaction.run(chargeUnits(ofKey[0]!, ofKey.length))),
  );
}
