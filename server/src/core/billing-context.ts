/** Whom a request on a key is charged to, and whether it has been. */
export interface BillingContext {
  /** The workspace that pays. */
  workspaceId: string;
  tenantId: string;
  keyId: string;
  /** Whether the payer's plan has a hard stop, as far as this process knows: the transaction that charges decides. */
  hasHardStop: boolean;
  /** How many transactions have committed with its units: one, where an accepted write is counted as it should be. */
  chargedTransactions: number;
}
