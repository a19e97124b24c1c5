import type { Hex } from 'viem';
import type { Querier } from '../../../database/database.ts';
import type { TransactionStatus } from '../chain/index.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import type { WalletPlayer } from './ledger-state.ts';

/** The recorder's own data of a transaction: its hash on the chain, and its status there. */
interface KnownTransaction {
  transactionHash?: Hex;
  chain?: Omit<TransactionStatus, 'minedHash'>;
}

/**
 * A recorder assigns the transaction hashes of entries, and may record the entries elsewhere. The tables of the ledger and its
 * rules are the same for all recorders.
 */
export interface Recorder {
  /**
   * Returns the transaction hash of each entry, in order. Runs in the transaction that writes the entries, under the lock of the
   * tenant's chain. It writes only through `transaction`, because a retried transaction runs it again.
   */
  assignHashes(transaction: Querier, tenantId: string, entries: LedgerEntry[]): Promise<Hex[]>;
  /** The recorder's members of the response to `GET …/transactions/{transactionHash}`. */
  describe(db: Querier, transactionHash: Hex): Promise<KnownTransaction>;
  /**
   * The player with an address or a name, from the recorder's own store. Undefined if the player is not final there yet, or the
   * store is unavailable. The tables of the ledger contain the same data.
   */
  findIndex(tenantId: string, what: 'address' | 'name', text: string): Promise<number | undefined>;
  /** The type and score of a player, from the recorder's own store. Undefined in the same cases as `findIndex`. */
  readPlayer(
    db: Querier,
    tenantId: string,
    playerIndex: number,
  ): Promise<Pick<WalletPlayer, 'playerType' | 'score'> | undefined>;
}

/** Records in the ledger only. The transaction hash of an entry is its own hash. */
export const hashChainRecorder: Recorder = {
  assignHashes: async (_transaction, _tenantId, entries) => entries.map(({ hash }) => hash),
  describe: async () => ({}),
  findIndex: async () => undefined,
  readPlayer: async () => undefined,
};
