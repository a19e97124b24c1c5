import type { Querier } from '../../../database/database.ts';
import { empty, sql, type Sql } from '../../../database/sql.ts';
import { deleteTokens, type AddressOwner } from './token-queries.ts';

/** The providers whose user id is an email address. */
export const emailProviders = sql`('EmailOneTimeCode', 'EmailPassword')`;

/** An address and its player. Without a player the address is pending: a code was sent but not used, or the player has left it. */
export interface Credential {
  playerId: string | null;
  passwordHash: string | null;
  isVerified: boolean;
}

const credentialColumns = sql`
  player_id AS "playerId", password_hash AS "passwordHash", verified_at IS NOT NULL AS "isVerified"`;

export function findCredential(db: Querier, email: string): Promise<Credential | undefined> {
  return db.row(sql`SELECT ${credentialColumns} FROM email_credentials WHERE email = ${email}`);
}

/** The address with which a player signed up, if it is not verified. A player has at most one such address. */
export async function findUnverifiedAddress(db: Querier, playerId: string): Promise<string | undefined> {
  const found = await db.row<{ email: string }>(sql`
    SELECT email FROM email_credentials WHERE player_id = ${playerId} AND verified_at IS NULL`);
  return found?.email;
}

/** Reads the credential, and blocks all sign-ins with the address until the transaction ends. */
export function lockCredential(db: Querier, email: string): Promise<Credential | undefined> {
  return db.row(sql`SELECT ${credentialColumns} FROM email_credentials WHERE email = ${email} FOR UPDATE`);
}

/** Locks the addresses of players, sorted by address. Every transaction takes these locks first, which prevents deadlocks. */
export async function lockCredentials(db: Querier, playerIds: string[]): Promise<void> {
  await db.rows(sql`SELECT guildhall_lock_credentials(${playerIds}::uuid[])`);
}

/** Locks a player until the transaction ends. Every sign-in takes this lock before the other locks of the player. */
export async function lockPlayer(db: Querier, playerId: string): Promise<void> {
  await db.run(sql`SELECT FROM players WHERE id = ${playerId} FOR NO KEY UPDATE`);
}

/** Whether an address still has this player and this password. The row is locked against changes until the transaction ends. */
export function isCurrentPassword(
  db: Querier,
  { email, playerId, passwordHash }: AddressOwner & { passwordHash: string },
): Promise<boolean> {
  return db.exists(sql`
    SELECT FROM email_credentials
    WHERE email = ${email} AND player_id = ${playerId} AND password_hash = ${passwordHash} FOR SHARE`);
}

/** Gives a pending address and a password to a new player. Returns false if the address has a player. */
export function claimWithPassword(
  db: Querier,
  { email, playerId, passwordHash }: AddressOwner & { passwordHash: string },
): Promise<boolean> {
  return db.changes(sql`
    UPDATE email_credentials SET player_id = ${playerId}, password_hash = ${passwordHash}
    WHERE email = ${email} AND player_id IS NULL`);
}

/**
 * Locks a verified address for a sign-in of its player. Gives a pending address to the player, as verified. Returns false if the
 * address belongs to another player, or is unverified because of a concurrent sign-up.
 */
export function claimForSignIn(db: Querier, email: string, playerId: string): Promise<boolean> {
  return db.changes(sql`
    UPDATE email_credentials SET player_id = ${playerId}, verified_at = coalesce(verified_at, now())
    WHERE email = ${email} AND (player_id IS NULL OR (player_id = ${playerId} AND verified_at IS NOT NULL))`);
}

/**
 * Gives an address to a player who has proved control of it, as verified. If the profile has no email address, the profile gets this
 * one. Returns false if the address belongs to another player, verified or not.
 */
export function claimForPlayer(db: Querier, email: string, playerId: string): Promise<boolean> {
  return db.changes(sql`
    WITH claimed AS (
      UPDATE email_credentials SET player_id = ${playerId}, verified_at = coalesce(verified_at, now())
      WHERE email = ${email} AND (player_id IS NULL OR player_id = ${playerId})
      RETURNING email),
    ${showAddress(email, playerId)}
    UPDATE players SET email = coalesce(players.email, claimed.email) FROM claimed WHERE id = ${playerId}`);
}

/**
 * Marks an address as verified, and adds the sign-in method by code. If the profile has no email address, the profile gets this one.
 */
export async function markVerified(
  db: Querier,
  { email, playerId, authMethodId }: AddressOwner & { authMethodId: string },
): Promise<void> {
  await db.run(sql`
    WITH verified AS (
      UPDATE email_credentials SET verified_at = coalesce(verified_at, now()) WHERE email = ${email}),
    ${showAddress(email, playerId)},
    profile AS (
      UPDATE players SET email = coalesce(email, ${email}) WHERE id = ${playerId})
    ${insertMethod({ email, playerId, authMethodId, provider: 'EmailOneTimeCode' })}`);
}

/** The sign-in method by password shows its address as soon as it is verified, as the method by code does. */
const showAddress = (email: string, playerId: string) => sql`
    method AS (
      UPDATE auth_methods SET email = ${email}
      WHERE auth_provider = 'EmailPassword' AND issuer = '' AND provider_user_id = ${email} AND player_id = ${playerId})`;

export async function setPassword(
  db: Querier,
  {
    email,
    playerId,
    authMethodId,
    passwordHash,
  }: AddressOwner & { authMethodId: string; passwordHash: string },
): Promise<void> {
  await db.run(sql`
    WITH password AS (
      UPDATE email_credentials SET password_hash = ${passwordHash} WHERE email = ${email})
    ${insertMethod({ email, playerId, authMethodId, provider: 'EmailPassword' })}`);
}

/**
 * Makes the sign-in by code valid in all workspaces, if the password of the same address is. Call it after a token that was mailed to
 * the address was used. See docs/decisions/0035-proofs-of-identity.md.
 */
export async function allowCodeEverywhere(db: Querier, { email, playerId }: AddressOwner): Promise<void> {
  await db.run(sql`
    UPDATE auth_methods SET linked_in_workspace = NULL
    WHERE auth_provider = 'EmailOneTimeCode' AND issuer = '' AND provider_user_id = ${email}
      AND player_id = ${playerId} AND linked_in_workspace IS NOT NULL
      AND EXISTS (
        SELECT FROM auth_methods
        WHERE auth_provider = 'EmailPassword' AND issuer = '' AND provider_user_id = ${email}
          AND player_id = ${playerId} AND linked_in_workspace IS NULL)`);
}

function insertMethod(method: AddressOwner & { authMethodId: string; provider: string }) {
  const { email, playerId, authMethodId, provider } = method;
  return sql`
    INSERT INTO auth_methods (id, player_id, auth_provider, provider_user_id, email, is_primary, linked_at,
                              linked_in_workspace)
    VALUES (${authMethodId}, ${playerId}, ${provider}, ${email}, ${email},
            NOT EXISTS (SELECT FROM auth_methods WHERE player_id = ${playerId} AND is_primary), now(),
            -- A second method of an address is restricted to the same workspace as the first one.
            (SELECT linked_in_workspace FROM auth_methods
             WHERE player_id = ${playerId} AND provider_user_id = ${email}
               AND auth_provider IN ${emailProviders} LIMIT 1))
    ON CONFLICT (auth_provider, issuer, provider_user_id) DO NOTHING`;
}

/**
 * Takes addresses and their passwords away from their player. The rows stay as pending addresses, because they count the mails of
 * strangers: otherwise a sign-up and a deletion would reset the count. A code of such an address in another tenant stays usable.
 */
const release = (condition: Sql) => sql`
  UPDATE email_credentials SET player_id = NULL, password_hash = NULL, verified_at = NULL WHERE ${condition}`;

/**
 * Removes all sign-in methods and passwords of a player, and all addresses except the given one. The profile shows none of the removed
 * addresses any more.
 */
export async function removeSignInMethods(db: Querier, playerId: string, email: string): Promise<void> {
  await db.run(sql`
    WITH others AS (
      ${release(sql`player_id = ${playerId} AND email <> ${email}`)}),
    profile AS (
      UPDATE players SET email = NULL WHERE id = ${playerId} AND email <> ${email}),
    password AS (
      UPDATE email_credentials SET password_hash = NULL WHERE email = ${email})
    DELETE FROM auth_methods WHERE player_id = ${playerId}`);
}

/** The email providers that a player signs in with, for one address. */
export async function listProviders(db: Querier, playerId: string, email: string): Promise<string[]> {
  const rows = await db.rows<{ provider: string }>(sql`
    SELECT auth_provider AS provider FROM auth_methods
    WHERE player_id = ${playerId} AND provider_user_id = ${email}
      AND auth_provider IN ${emailProviders}`);
  return rows.map(({ provider }) => provider);
}

/**
 * Moves the verified addresses of one player to another and deletes the mailed tokens. Unverified addresses become pending, without
 * their passwords: otherwise the owner of the address could take over the merged profile by verifying it.
 */
export async function moveCredentials(db: Querier, sourceId: string, targetId: string): Promise<void> {
  await deleteTokens(db, sourceId);
  await db.run(sql`
    WITH freed AS (
      ${release(sql`player_id = ${sourceId} AND verified_at IS NULL`)} RETURNING email)
    DELETE FROM auth_methods method USING freed
    WHERE method.auth_provider IN ${emailProviders} AND method.provider_user_id = freed.email`);
  await db.run(sql`UPDATE email_credentials SET player_id = ${targetId} WHERE player_id = ${sourceId}`);
}

export async function deletePassword(db: Querier, { email, playerId }: AddressOwner): Promise<void> {
  await db.run(sql`
    UPDATE email_credentials SET password_hash = NULL WHERE email = ${email} AND player_id = ${playerId}`);
}

/**
 * Takes one address away from a player, with its codes. If the profile showed it, the profile shows another verified one. The caller has
 * deleted the mailed tokens.
 */
export async function releaseAddress(db: Querier, { email, playerId }: AddressOwner): Promise<void> {
  await deleteCodes(db, playerId, sql`AND email = ${email}`);
  await db.run(release(sql`email = ${email} AND player_id = ${playerId}`));
  await db.run(sql`
    UPDATE players SET email = (
      SELECT email FROM email_credentials WHERE player_id = ${playerId} AND verified_at IS NOT NULL ORDER BY email LIMIT 1)
    WHERE id = ${playerId} AND email = ${email}`);
}

/** Takes all addresses away from a player, with their tokens and codes. */
export async function releaseAddresses(db: Querier, playerId: string): Promise<void> {
  await deleteTokens(db, playerId);
  await deleteCodes(db, playerId, empty);
  await db.run(release(sql`player_id = ${playerId}`));
}

/**
 * Deletes the codes of a player's addresses. If nobody has verified an address, its codes in tenants that do not know the player stay:
 * anybody can sign up with the address of somebody else. Call it before the addresses are released, because row-level security shows
 * a player the codes of their own addresses only.
 */
async function deleteCodes(db: Querier, playerId: string, condition: Sql): Promise<void> {
  await db.run(sql`
    DELETE FROM one_time_codes
    WHERE email IN (SELECT email FROM email_credentials WHERE player_id = ${playerId}) ${condition}
      AND (tenant_id IN (SELECT tenant_id FROM tenant_access WHERE player_id = ${playerId})
           OR email IN (SELECT email FROM email_credentials WHERE player_id = ${playerId} AND verified_at IS NOT NULL))`);
}

/** Deletes pending addresses whose count of mails began at least two days ago. */
export function deletePendingCredentials(db: Querier): Promise<number> {
  return db.run(sql`
    DELETE FROM email_credentials WHERE player_id IS NULL AND mails_since < now() - interval '2 days'`);
}
