import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import { emailProviders } from './credential-queries.ts';

/** Emails per day from one tenant, or from the player portal, to one address. With five attempts per code: 100 guesses. */
export const MAILS_PER_DAY = 20;

/**
 * Emails per day to one address from all tenants in which nobody has signed in with it. Creating more tenants allows neither more
 * emails nor more guesses.
 */
const UNRELATED_MAILS_PER_DAY = 20;

/** Counts an email from a tenant to an address. Returns false if the daily limit is reached. */
export function countMail(db: Querier, tenantId: string, email: string): Promise<boolean> {
  return db.changes(sql`
    INSERT INTO mail_counts AS known (tenant_id, email, since, sent) VALUES (${tenantId}, ${email}, now(), 1)
    ON CONFLICT (tenant_id, email) DO UPDATE SET
      since = CASE WHEN known.since < now() - interval '1 day' THEN now() ELSE known.since END,
      sent = CASE WHEN known.since < now() - interval '1 day' THEN 1 ELSE known.sent + 1 END
    WHERE known.sent < ${MAILS_PER_DAY} OR known.since < now() - interval '1 day'`);
}

/**
 * Stores an address, and counts an email from a tenant in which nobody signs in with it. With `counts: false` the statement does
 * the same work without counting. Returns false if the daily limit of all these tenants is reached.
 */
export function countUnrelatedMail(
  db: Querier,
  email: string,
  { counts }: { counts: boolean },
): Promise<boolean> {
  const increment = counts ? 1 : 0;
  return db.changes(sql`
    INSERT INTO email_credentials AS known (email, mails_since, mails_sent) VALUES (${email}, now(), ${increment})
    ON CONFLICT (email) DO UPDATE SET
      mails_since = CASE WHEN known.mails_since < now() - interval '1 day' THEN now() ELSE known.mails_since END,
      mails_sent = CASE WHEN known.mails_since < now() - interval '1 day' THEN ${increment} ELSE known.mails_sent + ${increment} END
    WHERE known.mails_sent < ${UNRELATED_MAILS_PER_DAY} OR known.mails_since < now() - interval '1 day'`);
}

/** Whether a player has signed in to the tenant with this address, and has verified it. */
export function isVerifiedInTenant(db: Querier, tenantId: string, email: string): Promise<boolean> {
  return db.exists(sql`
    SELECT FROM tenant_sign_in_methods used
    JOIN auth_methods method ON method.id = used.auth_method_id
    JOIN email_credentials credential
      ON credential.email = method.provider_user_id AND credential.player_id = method.player_id
    WHERE used.tenant_id = ${tenantId} AND method.auth_provider IN ${emailProviders}
      AND method.provider_user_id = ${email} AND credential.verified_at IS NOT NULL
    LIMIT 1`);
}

/** The seconds until a tenant may send email to an address again. */
export async function secondsUntilMailAllowed(db: Querier, tenantId: string, email: string): Promise<number> {
  const row = await db.row<{ seconds: number }>(sql`
    SELECT greatest(1, ceil(extract(epoch FROM since + interval '1 day' - now())))::int AS seconds
    FROM mail_counts WHERE tenant_id = ${tenantId} AND email = ${email}`);
  return row?.seconds ?? 1;
}
