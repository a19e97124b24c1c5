import type { Address } from 'viem';
import type { Querier, Scope } from '../../../database/database.ts';
import { deleteInKeyOrder } from '../../../database/delete-expired.ts';
import { sql } from '../../../database/sql.ts';

export interface Challenge {
  address: Address;
  chainId: number;
  message: string;
}

interface NewChallenge extends Challenge {
  tenantId: string;
  id: string;
  nonce: string;
  expiresAt: string;
}

export interface TakenChallenge extends NewChallenge {
  isExpired: boolean;
}

/** Also puts a taken challenge back. */
export async function insertChallenge(db: Querier, challenge: NewChallenge): Promise<void> {
  await db.run(sql`
    INSERT INTO wallet_challenges (tenant_id, id, nonce, address, chain_id, message, expires_at)
    VALUES (${challenge.tenantId}, ${challenge.id}, ${challenge.nonce}, ${challenge.address}, ${challenge.chainId},
            ${challenge.message}, ${challenge.expiresAt})`);
}

/**
 * Deletes and returns a challenge. Of concurrent calls only one deletes the row. All others get undefined, and so does a call for a
 * challenge that the tenant never issued.
 */
export function takeChallenge(
  db: Querier,
  tenantId: string,
  key: { nonce: string } | { challengeId: string },
): Promise<TakenChallenge | undefined> {
  const condition = 'nonce' in key ? sql`nonce = ${key.nonce}` : sql`id = ${key.challengeId}`;
  return db.row(sql`
    DELETE FROM wallet_challenges WHERE tenant_id = ${tenantId} AND ${condition}
    RETURNING tenant_id AS "tenantId", id, nonce, address, chain_id AS "chainId", message, expires_at AS "expiresAt",
              expires_at <= clock_timestamp() AS "isExpired"`);
}

/** Whether an unanswered challenge has this id, expired or not. */
export function hasChallenge(db: Querier, tenantId: string, challengeId: string): Promise<boolean> {
  return db.exists(sql`SELECT FROM wallet_challenges WHERE tenant_id = ${tenantId} AND id = ${challengeId}`);
}

/** Deletes the expired challenges of a tenant. */
export const deleteExpiredChallenges = (scope: Scope, tenantId: string): Promise<void> =>
  deleteInKeyOrder(scope, {
    table: sql`wallet_challenges`,
    key: sql`id`,
    tenantId,
    where: sql`expires_at < now()`,
  });
