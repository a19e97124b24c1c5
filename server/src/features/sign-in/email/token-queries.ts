import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';

/** An address and the player whom it belongs to. */
export interface AddressOwner {
  email: string;
  playerId: string;
}

interface NewToken extends AddressOwner {
  tenantId: string;
  hash: Buffer;
  purpose: 'verify' | 'reset';
  expiresAt: string;
}

export async function insertToken(db: Querier, token: NewToken): Promise<void> {
  await db.run(sql`
    INSERT INTO email_tokens (tenant_id, token_hash, purpose, email, player_id, expires_at)
    VALUES (${token.tenantId}, ${token.hash}, ${token.purpose}, ${token.email}, ${token.playerId}, ${token.expiresAt})`);
}

/** Whether a player's address has a token that expires after a time. */
export function hasTokenAfter(
  db: Querier,
  { tenantId, playerId, email, purpose, expiresAt }: Omit<NewToken, 'hash'>,
): Promise<boolean> {
  return db.exists(sql`
    SELECT FROM email_tokens
    WHERE tenant_id = ${tenantId} AND player_id = ${playerId} AND email = ${email} AND purpose = ${purpose}
      AND expires_at > ${expiresAt}`);
}

/** The owner of a valid token. */
export function findToken(
  db: Querier,
  { tenantId, hash, purpose }: Pick<NewToken, 'tenantId' | 'hash' | 'purpose'>,
): Promise<AddressOwner | undefined> {
  return db.row(sql`
    SELECT email, player_id AS "playerId" FROM email_tokens
    WHERE tenant_id = ${tenantId} AND token_hash = ${hash} AND purpose = ${purpose} AND expires_at > now()`);
}

/** Uses a token up. Returns false if it was used before. */
export function deleteToken(db: Querier, tenantId: string, hash: Buffer): Promise<boolean> {
  return db.changes(sql`DELETE FROM email_tokens WHERE tenant_id = ${tenantId} AND token_hash = ${hash}`);
}

/** Deletes all tokens of a player, in all tenants that the scope can read. */
export async function deleteTokens(db: Querier, playerId: string): Promise<void> {
  await db.run(sql`DELETE FROM email_tokens WHERE player_id = ${playerId}`);
}
