import type { Database } from '../../../database/database.ts';
import { hashPassword } from '../../../security/passwords.ts';
import type { Origin } from '../../../core/author.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { newId } from '../../../core/ids.ts';
import { requestedMailQueue, type MailServices } from '../../messages/mail/index.ts';
import { readTenant } from '../../studio/tenants/index.ts';
import { endPlayerSessions } from '../sessions/index.ts';
import { revokePortalSessions } from '../portal/index.ts';
import { confirmOwnership, CredentialChangedError } from './address-ownership.ts';
import { allowCodeEverywhere, findCredential, lockCredential, setPassword } from './credential-queries.ts';
import { invalidToken, mailToken } from './email-tokens.ts';
import { decideMail } from './mail-limits.ts';
import { notifyChange } from './notify-change.ts';
import { deleteToken, deleteTokens, findToken } from './token-queries.ts';

export const passwordResetQueue = requestedMailQueue<{ tenantId: string; email: string }>('password-reset');

/** One email in each half minute of the clock. Without this interval one burst uses up the daily limit of an address. */
const RESEND_SECONDS = 30;

/** Enqueues the email, for any address. Returns false if an email to the address was enqueued within the interval. */
export async function requestReset(
  { database, jobs }: MailServices & { database: Database },
  billing: BillingContext,
  email: string,
): Promise<boolean> {
  const { tenantId } = billing;
  const once = { key: `${tenantId} ${email}`, seconds: RESEND_SECONDS };
  return database
    .forKey(billing)
    .transaction((transaction) => jobs.add(transaction, passwordResetQueue, { tenantId, email }, { once }));
}

/**
 * The worker's part: mails a token if a player has the address, with or without a password. The email is counted even if no player
 * has the address. Otherwise the number of codes that are left would disclose whether the address is known.
 */
export async function mailReset(
  services: MailServices & { database: Database },
  { tenantId, email }: { tenantId: string; email: string },
): Promise<void> {
  await services.database.forTenant(tenantId).transaction(async (transaction) => {
    const decision = await decideMail(transaction, tenantId, email);
    if (!decision) return;
    const playerId = (await findCredential(transaction, email))?.playerId;
    if (!playerId) return;
    const owner = { tenantId, email, playerId };
    await mailToken(services, transaction, owner, { purpose: 'reset', decision });
  });
}

/**
 * Sets a new password with a mailed token, and marks the address as verified. Ends all sessions of the player, in all tenants and in
 * the portal, and notifies the player. Throws invalid_credentials.
 */
export async function resetPassword(
  services: MailServices & { database: Database },
  { billing, origin }: { billing: BillingContext; origin: Origin },
  { token, newPassword }: { token: string; newPassword: string },
): Promise<{ email: string }> {
  const { database, vault } = services;
  const { tenantId } = billing;
  const hash = vault.fingerprint(token);
  const tenant = database.forTenant(tenantId);
  const owner = await findToken(tenant, { tenantId, hash, purpose: 'reset' });
  if (!owner) throw invalidToken();
  const { name: game } = await readTenant(tenant, tenantId);
  const { email, playerId } = owner;
  const passwordHash = await hashPassword(newPassword, origin.ip);
  try {
    await database.forPlayer(playerId, billing).transaction(async (transaction) => {
      // Every transaction locks the credential first. This order prevents deadlocks.
      await lockCredential(transaction, email);
      if (!(await deleteToken(transaction, tenantId, hash))) throw invalidToken();
      await confirmOwnership(transaction, owner);
      await setPassword(transaction, { email, playerId, passwordHash, authMethodId: newId() });
      await allowCodeEverywhere(transaction, owner);
      await deleteTokens(transaction, playerId);
      await endPlayerSessions(transaction, playerId, 'everywhere', {
        reason: 'kicked',
        message: 'The password was reset.',
      });
      await revokePortalSessions(transaction, playerId);
      await notifyChange(services, transaction, { playerId, tenantId, game, origin }, 'passwordReset');
    });
  } catch (error) {
    throw error instanceof CredentialChangedError ? invalidToken() : error;
  }
  return { email };
}
