import pLimit from 'p-limit';
import type { Hex } from 'viem';
import { chargeUnits, isQuotaExceeded, type Database, type Querier } from '../../../database/database.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { ProblemError } from '../../../core/problem.ts';
import { hashedInstant } from '../../../core/row-hash.ts';
import { chainEntries, type NewEntry } from './ledger-entry.ts';
import { LedgerState, type Command, type Needs } from './ledger-state.ts';
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
import type { Recorder } from './recorder.ts';

/** Commands per transaction. A larger batch has no more throughput and a longer wait. */
const MAX_BATCH = 256;

/** Commands of a tenant that may wait in this process: about one second of work. */
const MAX_WAITING = 2_000;

/** Tenants whose batches are written concurrently. The other connections of the pool serve other requests. */
const MAX_CONCURRENT_BATCHES = 6;

/** An answer with the transaction hash of its entry. */
export type Recorded<Answer> = Answer & { transactionHash: Hex };

export interface WalletLedger {
  /**
   * Records a command in the tenant's ledger. When this resolves, the entry is on disk, in one chain with the entries of all
   * processes. With a billing context, one unit is charged in the same transaction. Throws the errors of the command, busy and
   * quota_exceeded.
   */
  record<Answer extends object>(
    tenantId: string,
    command: Command<Answer>,
    billing?: BillingContext,
  ): Promise<Recorded<Answer>>;
}

interface WaitingCommand {
  command: Command<object>;
  billing: BillingContext | undefined;
  resolve(answer: Recorded<object>): void;
  reject(reason: unknown): void;
}

/**
 * Creates the ledgers of all tenants. Each tenant has a queue. While one batch is written, new commands wait in the queue. They
 * share the next transaction.
 */
export function createWalletLedger(database: Database, recorder: Recorder): WalletLedger {
  const queues = new Map<string, WaitingCommand[]>();
  const limit = pLimit(MAX_CONCURRENT_BATCHES);

  const drain = async (tenantId: string, queue: WaitingCommand[]): Promise<void> => {
    while (queue.length > 0)
      await limit(() => recordBatch(database, recorder, tenantId, queue.splice(0, MAX_BATCH)));
    queues.delete(tenantId);
  };

  return {
    record<Answer extends object>(tenantId: string, command: Command<Answer>, billing?: BillingContext) {
      return new Promise<Recorded<Answer>>((resolve, reject) => {
        const waiting = { command, billing, resolve, reject } as WaitingCommand;
        const queue = queues.get(tenantId);
        if (!queue) {
          const newQueue = [waiting];
          queues.set(tenantId, newQueue);
          void drain(tenantId, newQueue);
        } else if (queue.length < MAX_WAITING) queue.push(waiting);
        else reject(new ProblemError('busy', { headers: { 'retry-after': '1' } }));
      });
    },
  };
}

/** Writes a batch in one transaction, and settles the promise of each command. Never throws. */
async function recordBatch(
  database: Database,
  recorder: Recorder,
  tenantId: string,
  batch: WaitingCommand[],
): Promise<void> {
  try {
    const outcomes = await database
      .forTenant(tenantId)
      .transaction((transaction) => writeBatch(transaction, recorder, tenantId, batch));
    // After the commit, so that each answered entry is on disk.
    batch.forEach(({ billing, resolve, reject }, place) => {
      const outcome = outcomes[place]!;
      if ('refusal' in outcome) return reject(outcome.refusal);
      if (billing) billing.chargedTransactions++;
      resolve(outcome.answer as Recorded<object>);
    });
  } catch (error) {
    // A single command may be within the plan although the batch is not.
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
  batch: WaitingCommand[],
): Promise<Outcome[]> {
  const all = <Name extends number | string>(named: (needs: Needs) => Name[] | undefined) => [
    ...new Set(batch.flatMap(({ command }) => named(command.needs) ?? [])),
  ];
  // All statements are sent in one packet. Those after the lock have their own snapshots, so they see all earlier commits.
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
  const hashes = await recorder.assignHashes(transaction, tenantId, chained);
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

/** Charges one unit for each command, in one statement per key. This must be the last step of the transaction. */
async function chargeTogether(transaction: Querier, charges: BillingContext[]): Promise<void> {
  const byKey = Map.groupBy(charges, ({ keyId }) => keyId);
  await Promise.all(
    [...byKey.values()].map((ofKey) => transaction.run(chargeUnits(ofKey[0]!, ofKey.length))),
  );
}
