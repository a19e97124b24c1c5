/** The payer of a request on a key, and how often the request was charged. */
export interface BillingContext {
  /** The workspace that pays. It need not be the owner of the tenant. */
  payerId: string;
  tenantId: string;
  keyId: string;
  /**
   * Whether the payer's plan has a hard stop, according to the cache. The transaction that charges has the current
   * value.
   */
  payerHasHardStop: boolean;
  /** Whether a hard stop does not refuse the request: it ends sessions, or repeats an accepted request and gets its answer again. */
  passesHardStop: boolean;
  /** How many transactions were committed with a charge. An accepted write must have exactly one. */
  chargedTransactions: number;
}

/** The group of requests that may share a transaction: one tenant, one key, one payer. */
export function billingGroup({ keyId, payerId }: BillingContext): string {
  return `${keyId} ${payerId}`;
}
