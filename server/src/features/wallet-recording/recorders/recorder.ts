import type { Hex } from 'viem';
import type { Querier } from '../../../database/database.ts';
import type { LedgerEntry } from '../ledger-entry.ts';

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
  describe(db: Querier, transactionHash: Hex, entries: LedgerEntry[]): Promise<Record<string, unknown>>;
}
