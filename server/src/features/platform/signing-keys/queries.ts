import type { JWK } from 'jose';
import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';

export interface SigningKeyRow {
  kid: string;
  publicJwk: JWK;
  /** JSON, encrypted by the vault. */
  privateJwk: Buffer;
  activeFrom: string;
  /** Null if the key has no successor. */
  retiresAt: string | null;
}

/** Lists the keys that have not retired, newest first. */
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

/** Sets the retirement time of all keys. A key that retires earlier keeps its time. */
export async function retireSigningKeys(db: Querier, at: string): Promise<void> {
  await db.run(sql`
    UPDATE signing_keys SET retires_at = ${at} WHERE retires_at IS NULL OR retires_at > ${at}`);
}

/** Deletes the keys that retired over 1 day ago. */
export async function deleteRetiredKeys(db: Querier): Promise<void> {
  await db.run(sql`DELETE FROM signing_keys WHERE retires_at < now() - interval '1 day'`);
}
