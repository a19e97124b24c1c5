import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';

/** Stores the secret of an unconfirmed enrolment, replacing an earlier one. Returns false if TOTP is on. */
export function upsertEnrolment(db: Querier, accountId: string, secret: Buffer): Promise<boolean> {
  return db.changes(sql`
    INSERT INTO account_totp AS totp (account_id, secret) VALUES (${accountId}, ${secret})
    ON CONFLICT (account_id) DO UPDATE SET secret = excluded.secret, created_at = now()
    WHERE totp.confirmed_at IS NULL`);
}

/** Finds the encrypted secret of an enrolment that was started in the last hour. */
export function findEnrolment(db: Querier, accountId: string): Promise<{ secret: Buffer } | undefined> {
  return db.row(sql`
    SELECT secret FROM account_totp
    WHERE account_id = ${accountId} AND confirmed_at IS NULL AND created_at > now() - interval '1 hour'`);
}

/** Turns TOTP on. Returns false if another request confirmed or restarted the enrolment. */
export function confirmEnrolment(
  db: Querier,
  { accountId, secret, step }: { accountId: string; secret: Buffer; step: number },
): Promise<boolean> {
  return db.changes(sql`
    UPDATE account_totp SET confirmed_at = now(), last_step = ${step}
    WHERE account_id = ${accountId} AND confirmed_at IS NULL AND secret = ${secret}`);
}

/** Finds the encrypted secret of an account with TOTP on. */
export function findTotpSecret(db: Querier, accountId: string): Promise<{ secret: Buffer } | undefined> {
  return db.row(sql`
    SELECT secret FROM account_totp WHERE account_id = ${accountId} AND confirmed_at IS NOT NULL`);
}

/** Consumes the codes of this time step and of all earlier ones. Only one of several parallel calls returns true. */
export function consumeStep(
  db: Querier,
  { accountId, secret, step }: { accountId: string; secret: Buffer; step: number },
): Promise<boolean> {
  return db.changes(sql`
    UPDATE account_totp SET last_step = ${step}
    WHERE account_id = ${accountId} AND secret = ${secret} AND last_step < ${step}`);
}

/** Deletes an enrolment that is not confirmed. */
export async function deleteEnrolment(db: Querier, accountId: string): Promise<void> {
  await db.run(sql`DELETE FROM account_totp WHERE account_id = ${accountId} AND confirmed_at IS NULL`);
}

/** Deletes the second factor and its recovery codes. Returns false if TOTP was not on. */
export function deleteTotp(db: Querier, accountId: string): Promise<boolean> {
  return db.changes(sql`
    DELETE FROM account_totp WHERE account_id = ${accountId} AND confirmed_at IS NOT NULL`);
}

/** Replaces all recovery codes of an account. */
export async function replaceRecoveryCodes(db: Querier, accountId: string, hashes: Buffer[]): Promise<void> {
  await db.run(sql`DELETE FROM account_recovery_codes WHERE account_id = ${accountId}`);
  await db.run(sql`
    INSERT INTO account_recovery_codes (account_id, code_hash)
    SELECT ${accountId}, code_hash FROM unnest(${hashes}::bytea[]) code_hash`);
}

/** Consumes a recovery code. Only one of several parallel calls returns true. */
export function consumeRecoveryCode(db: Querier, accountId: string, hash: Buffer): Promise<boolean> {
  return db.changes(sql`
    DELETE FROM account_recovery_codes WHERE account_id = ${accountId} AND code_hash = ${hash}`);
}

export function countRecoveryCodes(db: Querier, accountId: string): Promise<number> {
  return db.count(sql`SELECT count(*) FROM account_recovery_codes WHERE account_id = ${accountId}`);
}
