import type { JWK } from 'jose';
import type { Querier } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';

export interface SigningKeyRow {
  kid: string;
  publicJwk: JWK;
  privateJwk: Buffer;
  activeFrom: string;
}

/** The keys whose tokens are still accepted, the newest first. */
export function listSigningKeys(db: Querier): Promise<SigningKeyRow[]> {
  return db.rows(sql`
    SELECT kid, public_jwk AS "publicJwk", private_jwk AS "privateJwk", active_from AS "activeFrom"
    FROM signing_keys
    WHERE retires_at IS NULL OR retires_at > now()
    ORDER BY active_from DESC, kid`);
}

export async function insertSigningKey(db: Querier, key: SigningKeyRow): Promise<void> {
  await db.run(sql`
    INSERT INTO signing_keys (kid, public_jwk, private_jwk, active_from)
    VALUES (${key.kid}, ${JSON.stringify(key.publicJwk)}, ${key.privateJwk}, ${key.activeFrom})`);
}

/** Makes processes that start together take turns until the transaction ends. */
export async function lockSigningKeys(db: Querier): Promise<void> {
  await db.rows(sql`SELECT pg_advisory_xact_lock(7118003)`);
}
