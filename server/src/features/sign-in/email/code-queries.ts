import type { Querier, Scope } from '../../../database/database.ts';
import { deleteInKeyOrder } from '../../../database/delete-expired.ts';
import { empty, sql } from '../../../database/sql.ts';

const LIFETIME_SECONDS = 10 * 60;
const RESEND_SECONDS = 30;
const ATTEMPTS = 5;

export interface SentCode {
  id: string;
  expiresAt: string;
  resendAfterSeconds: number;
}

const sentCodeColumns = sql`
  id, expires_at AS "expiresAt",
  greatest(1, ceil(extract(epoch FROM sent_at - clock_timestamp()) + ${RESEND_SECONDS}))::int AS "resendAfterSeconds"`;

/** The code that was sent within the resend interval, if there is one. */
export function findRecentCode(
  db: Querier,
  { tenantId, email }: { tenantId: string; email: string },
): Promise<SentCode | undefined> {
  return db.row(sql`
    SELECT ${sentCodeColumns} FROM one_time_codes
    WHERE tenant_id = ${tenantId} AND email = ${email}
      AND sent_at > clock_timestamp() - make_interval(secs => ${RESEND_SECONDS})`);
}

interface NewCode {
  tenantId: string;
  email: string;
  id: string;
}

/** Stores a new code without digits and replaces the earlier one. Returns undefined if a recent code exists. */
export function replaceCode(db: Querier, code: NewCode): Promise<SentCode | undefined> {
  return db.row(sql`
    INSERT INTO one_time_codes AS known (tenant_id, email, id, sent_at, expires_at)
    VALUES (${code.tenantId}, ${code.email}, ${code.id}, clock_timestamp(),
            clock_timestamp() + make_interval(secs => ${LIFETIME_SECONDS}))
    ON CONFLICT (tenant_id, email) DO UPDATE SET
      id = excluded.id, code_hash = NULL, tries = 0, sent_at = excluded.sent_at, expires_at = excluded.expires_at
    WHERE known.sent_at <= clock_timestamp() - make_interval(secs => ${RESEND_SECONDS})
    RETURNING ${sentCodeColumns}`);
}

/** Stores the hash of the digits and returns the remaining lifetime. Returns undefined if it is set already, or the code is gone. */
export function setCode(
  db: Querier,
  code: { tenantId: string; email: string; codeId: string; codeHash: Buffer },
): Promise<{ secondsLeft: number } | undefined> {
  return db.row(sql`
    UPDATE one_time_codes SET code_hash = ${code.codeHash}
    WHERE tenant_id = ${code.tenantId} AND email = ${code.email} AND id = ${code.codeId}
      AND code_hash IS NULL AND expires_at > clock_timestamp()
    RETURNING ceil(extract(epoch FROM expires_at - clock_timestamp()))::int AS "secondsLeft"`);
}

/** The address of a code. With `codeId` no other code of the address matches. */
export interface CodeKey {
  email: string;
  codeId?: string;
}

/**
 * Counts an attempt at a valid code, then returns its hash: null if the digits were never generated. Returns undefined if there is no
 * valid code, or no attempt is left.
 */
export function countAttempt(
  db: Querier,
  tenantId: string,
  { email, codeId }: CodeKey,
): Promise<{ codeId: string; codeHash: Buffer | null } | undefined> {
  return db.row(sql`
    UPDATE one_time_codes SET tries = tries + 1
    WHERE tenant_id = ${tenantId} AND email = ${email} ${codeId === undefined ? empty : sql`AND id = ${codeId}`}
      AND tries < ${ATTEMPTS} AND expires_at > clock_timestamp()
    RETURNING id AS "codeId", code_hash AS "codeHash"`);
}

/** The address of the code with this id, expired or not. */
export async function findCodeAddress(
  db: Querier,
  tenantId: string,
  codeId: string,
): Promise<string | undefined> {
  const row = await db.row<{ email: string }>(
    sql`SELECT email FROM one_time_codes WHERE tenant_id = ${tenantId} AND id = ${codeId}`,
  );
  return row?.email;
}

/** Uses a code up. Returns false if it was used before. */
export function deleteCode(db: Querier, tenantId: string, email: string, id: string): Promise<boolean> {
  return db.changes(sql`
    DELETE FROM one_time_codes WHERE tenant_id = ${tenantId} AND email = ${email} AND id = ${id}`);
}

/** Deletes expired codes, tokens and counters of a tenant, or of the portal. */
export async function deleteExpiredCodesAndTokens(scope: Scope, tenantId: string): Promise<void> {
  const byAddress = { key: sql`email`, tenantId };
  await deleteInKeyOrder(scope, { table: sql`one_time_codes`, ...byAddress, where: sql`expires_at < now()` });
  await deleteInKeyOrder(scope, {
    table: sql`mail_counts`,
    ...byAddress,
    where: sql`since < now() - interval '1 day'`,
  });
  await deleteInKeyOrder(scope, {
    table: sql`email_tokens`,
    key: sql`token_hash`,
    tenantId,
    where: sql`expires_at < now()`,
  });
}
