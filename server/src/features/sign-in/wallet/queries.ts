import type { Address } from 'viem';
import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';

export interface Challenge {
  address: Address;
  chainId: number;
  message: string;
}

export interface NewChallenge extends Challenge {
  tenantId: string;
  id: string;
  nonce: string;
  expiresAt: string;
}

export async function insertChallenge(db: Querier, challenge: NewChallenge): Promise<void> {
  await db.run(sql`
    INSERT INTO wallet_challenges (tenant_id, id, nonce, address, chain_id, message, expires_at)
    VALUES (${challenge.tenantId}, ${challenge.id}, ${challenge.nonce}, ${challenge.address}, ${challenge.chainId},
            ${challenge.message}, ${challenge.expiresAt})`);
}

/**
 * Uses a challenge up. Of many at once one gets it, for one alone deletes the row; undefined for all others, and for a
 * challenge that was never issued in the tenant.
 */
export function takeChallenge(
  db: Querier,
  tenantId: string,
  which: { nonce: string } | { challengeId: string },
): Promise<(Challenge & { isExpired: boolean }) | undefined> {
  const named = 'nonce' in which ? sql`nonce = ${which.nonce}` : sql`id = ${which.challengeId}`;
  return db.row(sql`
    DELETE FROM wallet_challenges WHERE tenant_id = ${tenantId} AND ${named}
    RETURNING address, chain_id AS "chainId", message, expires_at <= clock_timestamp() AS "isExpired"`);
}

/** Whether an id is that of an unanswered challenge, expired or not. */
export async function hasChallenge(db: Querier, tenantId: string, challengeId: string): Promise<boolean> {
  const row = await db.row(
    sql`SELECT FROM wallet_challenges WHERE tenant_id = ${tenantId} AND id = ${challengeId}`,
  );
  return row !== undefined;
}

/** Deletes the challenges of a tenant that have expired, and returns how many. */
export function deleteExpiredChallenges(db: Querier, tenantId: string): Promise<number> {
  return db.run(sql`DELETE FROM wallet_challenges WHERE tenant_id = ${tenantId} AND expires_at < now()`);
}
