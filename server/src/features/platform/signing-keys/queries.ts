import type { JWK } from 'jose';
import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';

export interface SigningKeyRow {
  kid: string;
  publicJwk: JWK;
  /** JSON, sealed with the master key. */
  privateJwk: Buffer;
  activeFrom: string;
  /** Null while no successor was made. */
  retiresAt: string | null;
}

/** The keys whose tokens are still accepted, the newest first. */
export function listSigningKeys(db: Querier): Promise<SigningKeyRow[]> {
  return db.rows(sql`
    SELECT kid, public_jwk AS "publicJwk", private_jwk AS "privateJwk", active_from AS "activeFrom",
           retires_at AS "retiresAt"
    FROM signing_keys
    WHERE retires_at IS NULL OR retires_at > now()
    ORDER BY active_from DESC, kid DESC`);
}

export async function insertSigningKey(db: Querier, key: Omit<SigningKeyRow, 'retiresAt'>): Promise<void> {
  await db.run(sql`
    INSERT INTO signing_keys (kid, public_jwk, private_jwk, active_from)
    VALUES (${key.kid}, ${JSON.stringify(key.publicJwk)}, ${key.privateJwk}, ${key.activeFrom})`);
}

/** Lets all keys retire at a time, but for those that retire before it anyway. */
export async function retireSigningKeys(db: Querier, at: string): Promise<void> {
  await db.run(sql`
    UPDATE signing_keys SET retires_at = ${at} WHERE retires_at IS NULL OR retires_at > ${at}`);
}

/** Makes processes that make keys at the same time take turns until the transaction ends. */
export async function lockSigningKeys(db: Querier): Promise<void> {
  await db.rows(sql`SELECT pg_advisory_xact_lock(7118003)`);
}

/** Deletes the keys that have retired, their private halves with them. */
export async function deleteRetiredKeys(db: Querier): Promise<void> {
  await db.run(sql`DELETE FROM signing_keys WHERE retires_at < now() - interval '1 day'`);
}
