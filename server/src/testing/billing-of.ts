import type pg from 'pg';
import type { BillingContext } from '../core/billing-context.ts';
import type { TestTenant } from './arrange.ts';

/** The billing context of a request on the game key of a tenant, whose workspace pays without a hard stop. */
export async function billingOf(
  owner: pg.Pool,
  { workspaceId, tenantId }: Pick<TestTenant, 'workspaceId' | 'tenantId'>,
): Promise<BillingContext> {
  const { rows } = await owner.query(`SELECT id FROM tenant_keys WHERE tenant_id = $1 AND kind = 'game'`, [
    tenantId,
  ]);
  return {
    payerId: workspaceId,
    tenantId,
    keyId: rows[0].id,
    payerHasHardStop: false,
    passesHardStop: false,
    chargedTransactions: 0,
  };
}
