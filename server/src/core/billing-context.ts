/** The payer of a request on a key, and how often the request was charged. */
export interface BillingContext {
  /** The workspace that pays. */
  workspaceId: string;
  tenantId: string;
  keyId: string;
  /**
   * Whether the payer's plan has a hard stop, according to the cache. The transaction that charges has the current
   * value.
   */
  hasHardStop: boolean;
  /** Whether the request repeats an accepted one. A hard stop does not refuse it, so that it gets the first answer again. */
  isRepeat: boolean;
  /** How many transactions were committed with a charge. An accepted write must have exactly one. */
  chargedTransactions: number;
}

/** The group of requests that may share a transaction: one tenant, one key, one payer. */
export function billingGroup({ keyId, workspaceId }: BillingContext): string {
  return `${keyId} ${workspaceId}`;
}
