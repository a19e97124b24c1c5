import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';

/** Keeps the secret of an enrolment that is not confirmed yet, in place of an earlier one. False if TOTP is on. */
export async function putEnrolment(db: Querier, accountId: string, secret: Buffer): Promise<boolean> {
  const put = await db.run(sql`
    INSERT INTO account_totp AS totp (account_id, secret) VALUES (${accountId}, ${secret})
    ON CONFLICT (account_id) DO UPDATE SET secret = excluded.secret, created_at = now()
    WHERE totp.confirmed_at IS NULL`);
  return put === 1;
}

/** The sealed secret of an enrolment that was started within the last hour. */
export function findEnrolment(db: Querier, accountId: string): Promise<{ secret: Buffer } | undefined> {
  return db.row(sql`
    SELECT secret FROM account_totp
    WHERE account_id = ${accountId} AND confirmed_at IS NULL AND created_at > now() - interval '1 hour'`);
}

/** Switches TOTP on. False if another request did, or started another enrolment. */
export async function confirmEnrolment(
  db: Querier,
  { accountId, secret, step }: { accountId: string; secret: Buffer; step: number },
): Promise<boolean> {
  const confirmed = await db.run(sql`
    UPDATE account_totp SET confirmed_at = now(), last_step = ${step}
    WHERE account_id = ${accountId} AND confirmed_at IS NULL AND secret = ${secret}`);
  return confirmed === 1;
}

/** The sealed secret of an account that has TOTP on. */
export function findTotpSecret(db: Querier, accountId: string): Promise<{ secret: Buffer } | undefined> {
  return db.row(sql`
    SELECT secret FROM account_totp WHERE account_id = ${accountId} AND confirmed_at IS NOT NULL`);
}

/** Uses the code of a time step up, and those of earlier steps with it: of several uses one gets true. */
export async function useStep(
  db: Querier,
  { accountId, secret, step }: { accountId: string; secret: Buffer; step: number },
): Promise<boolean> {
  const used = await db.run(sql`
    UPDATE account_totp SET last_step = ${step}
    WHERE account_id = ${accountId} AND confirmed_at IS NOT NULL AND secret = ${secret} AND last_step < ${step}`);
  return used === 1;
}

/** Deletes the second factor with its recovery codes. False if TOTP was not on. */
export async function deleteTotp(db: Querier, accountId: string): Promise<boolean> {
  const deleted = await db.run(sql`
    DELETE FROM account_totp WHERE account_id = ${accountId} AND confirmed_at IS NOT NULL`);
  return deleted === 1;
}

/** Puts new recovery codes in the place of all others. */
export async function replaceRecoveryCodes(db: Querier, accountId: string, hashes: Buffer[]): Promise<void> {
  await db.run(sql`DELETE FROM account_recovery_codes WHERE account_id = ${accountId}`);
  await db.run(sql`
    INSERT INTO account_recovery_codes (account_id, code_hash)
    SELECT ${accountId}, code_hash FROM unnest(${hashes}::bytea[]) code_hash`);
}

/** Uses a recovery code up: of several uses one gets true. */
export async function useRecoveryCode(db: Querier, accountId: string, hash: Buffer): Promise<boolean> {
  const used = await db.run(sql`
    DELETE FROM account_recovery_codes WHERE account_id = ${accountId} AND code_hash = ${hash}`);
  return used === 1;
}

export function countRecoveryCodes(db: Querier, accountId: string): Promise<number> {
  return db.count(sql`SELECT count(*) FROM account_recovery_codes WHERE account_id = ${accountId}`);
}
