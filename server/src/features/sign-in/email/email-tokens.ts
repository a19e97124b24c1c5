import type { Database, Querier } from '../../../database/database.ts';
import { newOpaqueToken } from '../../../security/opaque-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { secondsFromNow } from '../../../core/timestamps.ts';
import { sendMail, type MailServices } from '../../messages/mail/index.ts';
import { readTenant } from '../../studio/tenants/index.ts';
import { allowCodeEverywhere, lockCredential, lockPlayer, markVerified } from './credential-queries.ts';
import { resetPasswordEmail, verifyAddressEmail } from './email-templates.ts';
import type { MailDecision } from './mail-limits.ts';
import { deleteToken, findToken, hasTokenAfter, insertToken, type AddressOwner } from './token-queries.ts';

const TOKENS = {
  verify: { lifetimeSeconds: 24 * 60 * 60, writeEmail: verifyAddressEmail },
  reset: { lifetimeSeconds: 60 * 60, writeEmail: resetPasswordEmail },
};

/** Creates and mails a token that works once, in one tenant. */
export async function mailToken(
  services: MailServices,
  transaction: Querier,
  owner: AddressOwner & { tenantId: string },
  { purpose, decision }: { purpose: keyof typeof TOKENS; decision: MailDecision },
): Promise<void> {
  const { lifetimeSeconds, writeEmail } = TOKENS[purpose];
  const token = newOpaqueToken(purpose);
  await insertToken(transaction, {
    ...owner,
    purpose,
    hash: services.vault.fingerprint(token),
    expiresAt: secondsFromNow(lifetimeSeconds),
  });
  const { name: game } = await readTenant(transaction, owner.tenantId);
  await sendMail(services, transaction, {
    to: owner.email,
    content: writeEmail({ game, token }),
    usefulSeconds: lifetimeSeconds,
    isHeld: decision === 'hold',
  });
}

/** Without this interval, a player who taps a button often would use up the emails of the address for a day. As for codes. */
const RESEND_SECONDS = 30;

/** Whether a token that verifies the address was mailed within the last 30 seconds. */
export function wasJustMailed(
  transaction: Querier,
  owner: AddressOwner & { tenantId: string },
): Promise<boolean> {
  const expiresAt = secondsFromNow(TOKENS.verify.lifetimeSeconds - RESEND_SECONDS);
  return hasTokenAfter(transaction, { ...owner, purpose: 'verify', expiresAt });
}

/**
 * Verifies the address of a sign-up with its mailed token. The password stays, because the token confirms the sign-up. Throws
 * invalid_credentials.
 */
export async function verifyAddress(
  { database, vault }: { database: Database; vault: Vault },
  billing: BillingContext,
  token: string,
): Promise<{ email: string }> {
  const { tenantId } = billing;
  const hash = vault.fingerprint(token);
  return database.forKey(billing).transaction(async (transaction) => {
    const owner = await findToken(transaction, { tenantId, hash, purpose: 'verify' });
    if (!owner) throw invalidToken();
    // Every transaction locks the credential first. A concurrent confirmation of ownership deletes the token under this lock.
    const credential = await lockCredential(transaction, owner.email);
    if (credential?.playerId !== owner.playerId || !(await deleteToken(transaction, tenantId, hash)))
      throw invalidToken();
    await lockPlayer(transaction, owner.playerId);
    await markVerified(transaction, { ...owner, authMethodId: newId() });
    await allowCodeEverywhere(transaction, owner);
    return { email: owner.email };
  });
}

/** One error for every reason, so that it discloses nothing. */
export function invalidToken(): ProblemError {
  return new ProblemError(
    'invalid_credentials',
    'The token is wrong, was used, or has expired. Request a new one.',
  );
}
