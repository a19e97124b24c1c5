import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';

/** An address and whose it is. Without a player it is pending: a code was sent, and not yet used. */
export interface Credential {
  playerId: string | null;
  passwordHash: string | null;
  isVerified: boolean;
}

const credential = sql`
  player_id AS "playerId", password_hash AS "passwordHash", verified_at IS NOT NULL AS "isVerified"`;

export function findCredential(db: Querier, email: string): Promise<Credential | undefined> {
  return db.row(sql`SELECT ${credential} FROM email_credentials WHERE email = ${email}`);
}

/** The same, locked against every sign-in with the address until the transaction ends. */
export function lockCredential(db: Querier, email: string): Promise<Credential | undefined> {
  return db.row(sql`SELECT ${credential} FROM email_credentials WHERE email = ${email} FOR UPDATE`);
}

/** Locks a player until the transaction ends; a sign-in does so before it locks anything else of theirs. */
export async function lockPlayer(db: Querier, playerId: string): Promise<void> {
  await db.run(sql`SELECT FROM players WHERE id = ${playerId} FOR NO KEY UPDATE`);
}

/** Whether a password is still the one of an address and its player. Until the transaction ends it stays so. */
export async function keepsPassword(
  db: Querier,
  { email, playerId, passwordHash }: { email: string; playerId: string; passwordHash: string },
): Promise<boolean> {
  const row = await db.row(sql`
    SELECT FROM email_credentials
    WHERE email = ${email} AND player_id = ${playerId} AND password_hash = ${passwordHash} FOR SHARE`);
  return row !== undefined;
}

/** Counts a mail to an address on behalf of a tenant. False if it has had as many as it may within the day. */
export async function countMail(
  db: Querier,
  tenantId: string,
  email: string,
  mailsPerDay: number,
): Promise<boolean> {
  const counted = await db.run(sql`
    INSERT INTO mail_counts AS known (tenant_id, email, since, sent) VALUES (${tenantId}, ${email}, now(), 1)
    ON CONFLICT (tenant_id, email) DO UPDATE SET
      since = CASE WHEN known.since < now() - interval '1 day' THEN now() ELSE known.since END,
      sent = CASE WHEN known.since < now() - interval '1 day' THEN 1 ELSE known.sent + 1 END
    WHERE known.sent < ${mailsPerDay} OR known.since < now() - interval '1 day'`);
  return counted === 1;
}

/** How many seconds until an address may have mails of a tenant again. */
export async function secondsUntilMails(db: Querier, tenantId: string, email: string): Promise<number> {
  const row = await db.row<{ seconds: number }>(sql`
    SELECT greatest(1, ceil(extract(epoch FROM since + interval '1 day' - now())))::int AS seconds
    FROM mail_counts WHERE tenant_id = ${tenantId} AND email = ${email}`);
  return row?.seconds ?? 1;
}

/** Whether a player has signed in to the tenant with an address that is verified. */
export async function isUsedHere(db: Querier, tenantId: string, email: string): Promise<boolean> {
  const row = await db.row(sql`
    SELECT FROM tenant_sign_in_methods used
    JOIN auth_methods method ON method.id = used.auth_method_id
    JOIN email_credentials credential
      ON credential.email = method.provider_user_id AND credential.player_id = method.player_id
    WHERE used.tenant_id = ${tenantId} AND method.auth_provider IN ('EmailOneTimeCode', 'EmailPassword')
      AND method.provider_user_id = ${email} AND credential.verified_at IS NOT NULL
    LIMIT 1`);
  return row !== undefined;
}

/**
 * Makes an address known, and counts a mail to it that comes from a tenant where nobody signs in with it: the same work if it is
 * not to be counted. False if strangers have sent it as many as they may within the day.
 */
export async function countStrangersMail(
  db: Querier,
  email: string,
  { counts, limit }: { counts: boolean; limit: number },
): Promise<boolean> {
  const more = counts ? 1 : 0;
  const counted = await db.run(sql`
    INSERT INTO email_credentials AS known (email, mails_since, mails_sent) VALUES (${email}, now(), ${more})
    ON CONFLICT (email) DO UPDATE SET
      mails_since = CASE WHEN known.mails_since < now() - interval '1 day' THEN now() ELSE known.mails_since END,
      mails_sent = CASE WHEN known.mails_since < now() - interval '1 day' THEN ${more} ELSE known.mails_sent + ${more} END
    WHERE known.mails_sent < ${limit} OR known.mails_since < now() - interval '1 day'`);
  return counted === 1;
}

/** Gives a pending address to a new player, with a password. False where it has a player. */
export async function claimWithPassword(
  db: Querier,
  { email, playerId, passwordHash }: { email: string; playerId: string; passwordHash: string },
): Promise<boolean> {
  const claimed = await db.run(sql`
    UPDATE email_credentials SET player_id = ${playerId}, password_hash = ${passwordHash}
    WHERE email = ${email} AND player_id IS NULL`);
  return claimed === 1;
}

/**
 * Locks a proven address for a sign-in of its player; a pending one is given to that player, as verified. False where it is
 * somebody else's, or unverified, as after a sign-up that came in between.
 */
export async function claimProven(db: Querier, email: string, playerId: string): Promise<boolean> {
  const claimed = await db.run(sql`
    UPDATE email_credentials SET player_id = ${playerId}, verified_at = coalesce(verified_at, now())
    WHERE email = ${email} AND (player_id IS NULL OR (player_id = ${playerId} AND verified_at IS NOT NULL))`);
  return claimed === 1;
}

/** Verified from now on, and the profile's address where it has none; a sign-in by code from now on finds the player. */
export async function markVerified(
  db: Querier,
  { email, playerId, authMethodId }: { email: string; playerId: string; authMethodId: string },
): Promise<void> {
  await db.run(sql`
    WITH verified AS (
      UPDATE email_credentials SET verified_at = coalesce(verified_at, now()) WHERE email = ${email}),
    profile AS (
      UPDATE players SET email = coalesce(email, ${email}) WHERE id = ${playerId})
    ${insertMethod({ email, playerId, authMethodId, provider: 'EmailOneTimeCode' })}`);
}

export async function setPassword(
  db: Querier,
  {
    email,
    playerId,
    authMethodId,
    passwordHash,
  }: { email: string; playerId: string; authMethodId: string; passwordHash: string },
): Promise<void> {
  await db.run(sql`
    WITH password AS (
      UPDATE email_credentials SET password_hash = ${passwordHash} WHERE email = ${email})
    ${insertMethod({ email, playerId, authMethodId, provider: 'EmailPassword' })}`);
}

function insertMethod(method: { email: string; playerId: string; authMethodId: string; provider: string }) {
  const { email, playerId, authMethodId, provider } = method;
  return sql`
    INSERT INTO auth_methods (id, player_id, auth_provider, provider_user_id, email, is_primary, linked_at,
                              linked_in_workspace)
    VALUES (${authMethodId}, ${playerId}, ${provider}, ${email}, ${email},
            NOT EXISTS (SELECT FROM auth_methods WHERE player_id = ${playerId} AND is_primary), now(),
            -- A second way to use an address is good where the first one is.
            (SELECT linked_in_workspace FROM auth_methods
             WHERE player_id = ${playerId} AND provider_user_id = ${email}
               AND auth_provider IN ('EmailOneTimeCode', 'EmailPassword') LIMIT 1))
    ON CONFLICT (auth_provider, issuer, provider_user_id) DO NOTHING`;
}

/** Takes from a player every way to sign in, but for the address itself. */
export async function removeSignInMethods(db: Querier, playerId: string, email: string): Promise<void> {
  await db.run(sql`
    WITH others AS (
      DELETE FROM email_credentials WHERE player_id = ${playerId} AND email <> ${email}),
    password AS (
      UPDATE email_credentials SET password_hash = NULL WHERE email = ${email})
    DELETE FROM auth_methods WHERE player_id = ${playerId}`);
}

/** Locks the addresses of players, in one order, before anything else of theirs: as every sign-in and every proof does. */
export async function lockCredentials(db: Querier, playerIds: string[]): Promise<void> {
  await db.rows(sql`
    SELECT FROM email_credentials WHERE player_id = ANY(${playerIds}::uuid[]) ORDER BY email FOR UPDATE`);
}

/**
 * Gives an address that somebody has just proved to a player, as verified, and as the profile's where it has none. False where it
 * is another player's, verified or not.
 */
export async function claimForPlayer(db: Querier, email: string, playerId: string): Promise<boolean> {
  const claimed = await db.run(sql`
    WITH claimed AS (
      UPDATE email_credentials SET player_id = ${playerId}, verified_at = coalesce(verified_at, now())
      WHERE email = ${email} AND (player_id IS NULL OR player_id = ${playerId})
      RETURNING email)
    UPDATE players SET email = coalesce(players.email, claimed.email) FROM claimed WHERE id = ${playerId}`);
  return claimed === 1;
}

/** The addresses that a player has verified, the earliest first, as far as one change is mailed to. */
export async function listVerifiedAddresses(db: Querier, playerId: string): Promise<string[]> {
  const rows = await db.rows<{ email: string }>(sql`
    SELECT email FROM email_credentials WHERE player_id = ${playerId} AND verified_at IS NOT NULL
    ORDER BY verified_at, email LIMIT 20`);
  return rows.map(({ email }) => email);
}

/**
 * Gives the verified addresses of one player to another. What was mailed to verify them, or to set a password, ends. An address
 * that nobody has verified is freed, with its password: its owner would take the whole profile over by proving it.
 */
export async function moveCredentials(db: Querier, sourceId: string, targetId: string): Promise<void> {
  await deleteTokens(db, sourceId);
  await db.run(sql`
    WITH freed AS (
      DELETE FROM email_credentials WHERE player_id = ${sourceId} AND verified_at IS NULL RETURNING email)
    DELETE FROM auth_methods method USING freed
    WHERE method.auth_provider IN ('EmailOneTimeCode', 'EmailPassword') AND method.provider_user_id = freed.email`);
  await db.run(sql`UPDATE email_credentials SET player_id = ${targetId} WHERE player_id = ${sourceId}`);
}

/** Removes the addresses of a player with everything that was mailed to them. */
export async function deleteCredentials(db: Querier, playerId: string): Promise<void> {
  await deleteTokens(db, playerId);
  // The codes first: a player's scope holds those of their addresses.
  await db.run(sql`
    DELETE FROM one_time_codes WHERE email IN (SELECT email FROM email_credentials WHERE player_id = ${playerId})`);
  await db.run(sql`DELETE FROM email_credentials WHERE player_id = ${playerId}`);
}

/** The ways in which a player signs in with an address. */
export async function providersOf(db: Querier, playerId: string, email: string): Promise<string[]> {
  const rows = await db.rows<{ provider: string }>(sql`
    SELECT auth_provider AS provider FROM auth_methods
    WHERE player_id = ${playerId} AND provider_user_id = ${email}
      AND auth_provider IN ('EmailOneTimeCode', 'EmailPassword')`);
  return rows.map(({ provider }) => provider);
}

/** Removes the password of an address, and what was mailed to set another one. */
export async function deletePassword(db: Querier, { email, playerId }: TokenOwner): Promise<void> {
  await db.run(sql`
    WITH password AS (UPDATE email_credentials SET password_hash = NULL WHERE email = ${email} AND player_id = ${playerId})
    DELETE FROM email_tokens WHERE email = ${email} AND player_id = ${playerId} AND purpose = 'reset'`);
}

/** Removes one address of a player with everything that was mailed to it; the profile shows another one, if there is one. */
export async function deleteCredential(db: Querier, { email, playerId }: TokenOwner): Promise<void> {
  await db.run(sql`DELETE FROM email_tokens WHERE email = ${email} AND player_id = ${playerId}`);
  await db.run(sql`DELETE FROM one_time_codes WHERE email = ${email}`);
  await db.run(sql`DELETE FROM email_credentials WHERE email = ${email} AND player_id = ${playerId}`);
  await db.run(sql`
    UPDATE players SET email = (
      SELECT email FROM email_credentials WHERE player_id = ${playerId} AND verified_at IS NOT NULL ORDER BY email LIMIT 1)
    WHERE id = ${playerId} AND email = ${email}`);
}

export interface SentCode {
  id: string;
  expiresAt: string;
  resendAfterSeconds: number;
}

const sentCode = (resendSeconds: number) => sql`
  id, expires_at AS "expiresAt",
  greatest(1, ceil(extract(epoch FROM sent_at - clock_timestamp()) + ${resendSeconds}))::int AS "resendAfterSeconds"`;

/** The code that was sent so recently that there is no other one yet. */
export function findRecentCode(
  db: Querier,
  { tenantId, email, resendSeconds }: { tenantId: string; email: string; resendSeconds: number },
): Promise<SentCode | undefined> {
  return db.row(sql`
    SELECT ${sentCode(resendSeconds)} FROM one_time_codes
    WHERE tenant_id = ${tenantId} AND email = ${email}
      AND sent_at > clock_timestamp() - make_interval(secs => ${resendSeconds})`);
}

export interface NewCode {
  tenantId: string;
  email: string;
  id: string;
  lifetimeSeconds: number;
  resendSeconds: number;
}

/** The new code, which is yet to be made, in place of any other one. Undefined where there is a recent one. */
export function replaceCode(db: Querier, code: NewCode): Promise<SentCode | undefined> {
  return db.row(sql`
    INSERT INTO one_time_codes AS known (tenant_id, email, id, sent_at, expires_at)
    VALUES (${code.tenantId}, ${code.email}, ${code.id}, clock_timestamp(),
            clock_timestamp() + make_interval(secs => ${code.lifetimeSeconds}))
    ON CONFLICT (tenant_id, email) DO UPDATE SET
      id = excluded.id, code_hash = NULL, tries = 0, sent_at = excluded.sent_at, expires_at = excluded.expires_at
    WHERE known.sent_at <= clock_timestamp() - make_interval(secs => ${code.resendSeconds})
    RETURNING ${sentCode(code.resendSeconds)}`);
}

/** Says what the code is, and for how long it works from now. Undefined where that is said already, or the code is gone. */
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

/** A code by the address that it was sent to, or by its id. */
export type CodeName = { email: string } | { codeId: string };

/**
 * Counts a try at a live code, and only then tells what to compare it with: null where the code was not made. Undefined where no
 * try is left.
 */
export function countTry(
  db: Querier,
  tenantId: string,
  which: CodeName,
  tries: number,
): Promise<{ codeId: string; email: string; codeHash: Buffer | null } | undefined> {
  const named = 'email' in which ? sql`email = ${which.email}` : sql`id = ${which.codeId}`;
  return db.row(sql`
    UPDATE one_time_codes SET tries = tries + 1
    WHERE tenant_id = ${tenantId} AND ${named} AND tries < ${tries} AND expires_at > clock_timestamp()
    RETURNING id AS "codeId", email, code_hash AS "codeHash"`);
}

/** Whether an id is that of a code, live or not. */
export async function hasCode(db: Querier, tenantId: string, codeId: string): Promise<boolean> {
  const row = await db.row(sql`SELECT FROM one_time_codes WHERE tenant_id = ${tenantId} AND id = ${codeId}`);
  return row !== undefined;
}

/** Uses a code up. False where it has been. */
export async function deleteCode(db: Querier, tenantId: string, email: string, id: string): Promise<boolean> {
  const deleted = await db.run(sql`
    DELETE FROM one_time_codes WHERE tenant_id = ${tenantId} AND email = ${email} AND id = ${id}`);
  return deleted === 1;
}

export interface TokenOwner {
  email: string;
  playerId: string;
}

export interface NewToken extends TokenOwner {
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

/** Whose a live token is. */
export function findToken(
  db: Querier,
  { tenantId, hash, purpose }: Pick<NewToken, 'tenantId' | 'hash' | 'purpose'>,
): Promise<TokenOwner | undefined> {
  return db.row(sql`
    SELECT email, player_id AS "playerId" FROM email_tokens
    WHERE tenant_id = ${tenantId} AND token_hash = ${hash} AND purpose = ${purpose} AND expires_at > now()`);
}

/** Uses a token up. False where it has been. */
export async function deleteToken(db: Querier, tenantId: string, hash: Buffer): Promise<boolean> {
  const deleted = await db.run(
    sql`DELETE FROM email_tokens WHERE tenant_id = ${tenantId} AND token_hash = ${hash}`,
  );
  return deleted === 1;
}

/** Ends all tokens of a player, in all tenants that the scope sees. */
export async function deleteTokens(db: Querier, playerId: string): Promise<void> {
  // A player's scope shows their rows alone, of all tenants.
  await db.run(sql`DELETE FROM email_tokens WHERE player_id = ${playerId}`);
}

/** Deletes what expired in a tenant, in the portal, or among the counts of notices. */
export async function deleteExpiredCodesAndTokens(db: Querier, tenantId: string): Promise<void> {
  await db.run(sql`
    WITH codes AS (DELETE FROM one_time_codes WHERE tenant_id = ${tenantId} AND expires_at < now()),
    counts AS (DELETE FROM mail_counts WHERE tenant_id = ${tenantId} AND since < now() - interval '1 day')
    DELETE FROM email_tokens WHERE tenant_id = ${tenantId} AND expires_at < now()`);
}

/** Deletes the addresses to which a code was sent two days ago or before, and never used. */
export function deletePendingCredentials(db: Querier): Promise<number> {
  return db.run(sql`
    DELETE FROM email_credentials WHERE player_id IS NULL AND mails_since < now() - interval '2 days'`);
}
