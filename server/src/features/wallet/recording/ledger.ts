import type { Hex } from 'viem';
import { createBatcher, type ItemResult } from '../../../database/batcher.ts';
import { chargeUnits } from '../../../database/charges.ts';
import type { Database, Querier } from '../../../database/database.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { hashedInstant } from '../../../core/row-hash.ts';
import type { Command, Needs } from './command.ts';
import { chainEntries, type LedgerEntry } from './ledger-entry.ts';
import { LedgerState } from './ledger-state.ts';
import { insertEntries, lockHead, writeHead } from './queries.ts';
import {
  findMatches,
  findPlayers,
  findSessions,
  writeMatches,
  writePasswords,
  writePlayers,
  writeSessions,
} from './state-queries.ts';
import type { Recorder } from './recorder.ts';

/** Commands per transaction. A larger batch has no more throughput and a longer wait. */
const MAX_BATCH = 256;

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
  close(): Promise<void>;
}

interface BilledCommand {
  tenantId: string;
  command: Command<object>;
  billing: BillingContext | undefined;
}

/** Creates the ledgers of all tenants. The commands of a tenant that arrive during a transaction share the next one. */
export function createWalletLedger(database: Database, recorder: Recorder): WalletLedger {
  const batcher = createBatcher<BilledCommand, object>({
    groupOf: ({ tenantId }) => tenantId,
    maxItems: MAX_BATCH,
    // The entries of a tenant are a chain, so a second batch would wait for the first in PostgreSQL.
    maxBatchesPerGroup: 1,
    async run(batch) {
      const { tenantId } = batch[0]!;
      const results = await database
        .forTenant(tenantId)
        .transaction((transaction) => writeBatch(transaction, recorder, tenantId, batch));
      for (const [place, { billing }] of batch.entries())
        if (billing && 'answer' in results[place]!) billing.chargedTransactions++;
      return results;
    },
  });
  return {
    record<Answer extends object>(tenantId: string, command: Command<Answer>, billing?: BillingContext) {
      return batcher.submit({ tenantId, command, billing }) as Promise<Recorded<Answer>>;
    },
    close: () => batcher.close(),
  };
}

async function writeBatch(
  transaction: Querier,
  recorder: Recorder,
  tenantId: string,
  batch: BilledCommand[],
): Promise<ItemResult<object>[]> {
  const { head, state } = await lockState(
    transaction,
    tenantId,
    batch.map(({ command }) => command.needs),
  );
  const outcomes = batch.map(({ command }) => {
    try {
      return command.apply(state);
    } catch (refusal) {
      return { refusal };
    }
  });
  const entries = outcomes.flatMap((outcome) => ('entry' in outcome && outcome.entry ? [outcome.entry] : []));
  let hashes: Hex[] = [];
  if (entries.length > 0) {
    const chained = chainEntries(tenantId, head, hashedInstant(head.now), entries);
    hashes = await recorder.assignHashes(transaction, tenantId, chained);
    await writeState(transaction, tenantId, chained, hashes, state);
  }
  const paying = batch.flatMap(({ billing }, place) =>
    billing && !('refusal' in outcomes[place]!) ? [billing] : [],
  );
  await chargeTogether(transaction, paying);
  const hashOf = new Map(entries.map((entry, index) => [entry, hashes[index]!]));
  return outcomes.map((outcome) => {
    if ('refusal' in outcome) return outcome;
    const { entry, answer } = outcome;
    return { answer: entry ? { transactionHash: hashOf.get(entry), ...answer } : answer };
  });
}

/** Locks the head of a tenant's chain, and loads the part of the state that commands need. */
async function lockState(transaction: Querier, tenantId: string, wanted: Needs[]) {
  const all = <Kind extends keyof Needs>(kind: Kind) => [
    ...new Set(wanted.flatMap((needs): NonNullable<Needs[Kind]>[number][] => needs[kind] ?? [])),
  ];
  // All statements are sent in one packet. Those after the lock have their own snapshots, so they see all earlier commits.
  const [head, players, sessions, matches] = await Promise.all([
    lockHead(transaction, tenantId),
    findPlayers(transaction, tenantId, {
      playerIndexes: all('playerIndexes'),
      playerIds: all('playerIds'),
      addresses: all('addresses'),
    }),
    findSessions(transaction, tenantId, all('sessions')),
    findMatches(transaction, tenantId, all('matches')),
  ]);
  return { head, state: new LedgerState(head, { players, sessions, matches }) };
}

/** Writes the entries, the head and the changed state. */
async function writeState(
  transaction: Querier,
  tenantId: string,
  entries: LedgerEntry[],
  hashes: Hex[],
  { changed, counts }: LedgerState,
): Promise<void> {
  await Promise.all([
    insertEntries(transaction, entries, hashes),
    writeHead(transaction, tenantId, entries.at(-1)!, counts),
    writePlayers(transaction, tenantId, [...changed.players.values()]),
    writeSessions(transaction, tenantId, [...changed.sessions.values()]),
    writeMatches(transaction, tenantId, [...changed.matches.values()]),
    writePasswords(transaction, tenantId, changed.newPasswords, [...changed.droppedPasswords]),
  ]);
}

/**
 * Charges one unit for each command, in one statement per key. This must be the last step of the transaction.
 *
 * If a hard stop has few units left, the charges of several keys can form a deadlock with another charge of the workspace. PostgreSQL ends
 * one of the transactions after a second, and its work runs again. One transaction for each key would avoid this, but the transactions of
 * a tenant would wait for each other, each with a connection.
 */
async function chargeTogether(transaction: Querier, charges: BillingContext[]): Promise<void> {
  const byKey = Map.groupBy(charges, ({ keyId }) => keyId);
  await Promise.all(
    [...byKey.values()].map((ofKey) => transaction.run(chargeUnits(ofKey[0]!, ofKey.length))),
  );
}
