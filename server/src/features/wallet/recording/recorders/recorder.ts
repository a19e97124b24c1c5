import type { Hex } from 'viem';
import type { Querier } from '../../../../database/database.ts';
import type { Fate } from '../../chain/index.ts';
import type { LedgerEntry } from '../ledger-entry.ts';
import type { WalletPlayer } from '../ledger-state.ts';

/** What a recorder knows of a transaction: the hash under which it is known there, and how far it has come. */
export interface KnownTransaction {
  transactionHash?: Hex;
  chain?: Omit<Fate, 'minedHash'>;
}

/**
 * Where entries are recorded beside the ledger's own tables, which every recorder shares with its rules: this decides what
 * a transaction hash is, and nothing else.
 */
export interface Recorder {
  readonly kind: 'hash-chain' | 'evm';
  /**
   * The transaction hash of each of these entries, in their order. Runs inside the transaction that writes them, under the
   * lock of the tenant's chain: so what it writes through `transaction` is there with the entries, or not at all. It may run
   * again where the transaction did not come through, so it does nothing outside of the database.
   */
  seal(transaction: Querier, tenantId: string, entries: LedgerEntry[]): Promise<Hex[]>;
  /**
   * What is known of a transaction beside its entries, of which it may hold several: further members of the answer of
   * `GET …/transactions/{transactionHash}`.
   */
  describe(db: Querier, transactionHash: Hex): Promise<KnownTransaction>;
  /** The hash that was answered for a transaction, whichever of its hashes is given: it may have been signed more than once. */
  answeredHash(db: Querier, transactionHash: Hex): Promise<Hex>;
  /**
   * Who has an address or a name, and what became of a player, as the recorder's own store says it. Undefined where that is not
   * final there yet, or cannot be asked: the tables of the ledger hold the same.
   */
  findIndex(tenantId: string, what: 'address' | 'name', text: string): Promise<number | undefined>;
  readPlayer(
    db: Querier,
    tenantId: string,
    playerIndex: number,
  ): Promise<Pick<WalletPlayer, 'playerType' | 'score'> | undefined>;
}
