import type { Querier } from '../../../database/database.ts';
import type { Self } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { auditOwnAccount } from './audit-own-account.ts';
import {
  lockReauthenticated,
  reauthenticate,
  type CurrentCredential,
  type ReauthenticationServices,
} from './reauthenticate.ts';
import { lockAccount } from './queries.ts';
import { recordSecurityChange } from './record-security-change.ts';
import { isNewSession } from './session-queries.ts';
import { newRecoveryCodes, recoveryCodeHash, sealTotpSecret, unsealTotpSecret } from './second-factor.ts';
import {
  confirmEnrolment,
  deleteTotp,
  findEnrolment,
  findTotpSecret,
  upsertEnrolment,
  replaceRecoveryCodes,
} from './totp-queries.ts';
import { base32, matchingStep, newTotpSecret, otpauthUri } from './totp.ts';

/** A session is new for 5 minutes: less than the lifetime of its first access token, which may be stolen. */
const NEW_SESSION_SECONDS = 5 * 60;

export type TotpServices = ReauthenticationServices & MailServices & { issuer: string };

/**
 * Starts to add a second factor and returns the secret for an authenticator app. The second factor takes effect when a code
 * confirms it. The address must be verified. Otherwise an attacker could sign up with another person's address and lock that
 * person out permanently. A session that is not new must reauthenticate, and a password that is sent is always checked. Otherwise a
 * stolen access token could lock the owner out. Throws email_not_verified, totp_enabled and the errors of {@link reauthenticate}.
 */
export async function enrollTotp(
  services: TotpServices,
  self: Self,
  credential: CurrentCredential,
): Promise<{ secret: string; otpauthUri: string }> {
  const { database, vault, issuer } = services;
  const { accountId, sessionId } = self;
  const isTrusted =
    credential.password === undefined &&
    (await isNewSession(database.forAccount(accountId), sessionId, NEW_SESSION_SECONDS));
  const reauthenticated = isTrusted ? undefined : await reauthenticate(services, self, credential);
  const secret = newTotpSecret();
  return database.forAccount(accountId).transaction(async (transaction) => {
    const account = reauthenticated
      ? await lockReauthenticated(transaction, reauthenticated)
      : await lockAccount(transaction, accountId);
    // A reset of the password may have ended the session meanwhile.
    const isTrustedStill =
      reauthenticated || (await isNewSession(transaction, sessionId, NEW_SESSION_SECONDS));
    if (!account || !isTrustedStill) throw new ProblemError('invalid_bearer');
    if (!account.emailVerified)
      throw new ProblemError(
        'email_not_verified',
        'Verify your email address first: send the mailed token to POST /api/saas-auth/email/verify. ' +
          'Request another token with POST /api/saas-auth/email/resend.',
      );
    const sealed = sealTotpSecret(vault, accountId, secret);
    if (!(await upsertEnrolment(transaction, accountId, sealed))) throw new ProblemError('totp_enabled');
    await auditOwnAccount(transaction, self, 'account.totp_enrolled', { confirmed: false });
    const text = base32(secret);
    // A label in an authenticator app ends at the first colon, and an IPv6 address contains colons.
    const name = `Guildhall ${new URL(issuer).hostname.replace(/[[\]]/g, '').replaceAll(':', '.')}`;
    return {
      secret: text,
      otpauthUri: otpauthUri({ issuer: name, email: account.email, secret: text }),
    };
  });
}

/**
 * Turns the second factor on and returns the recovery codes. The code proves that the app has the secret. Throws conflict,
 * invalid_credentials and too_many_attempts.
 */
export async function confirmTotp(
  services: TotpServices,
  self: Self,
  code: string,
): Promise<{ recoveryCodes: string[] }> {
  const { database, vault, secondFactorThrottle } = services;
  const { accountId, origin } = self;
  const enrolment = await findEnrolment(database.forAccount(accountId), accountId);
  if (!enrolment)
    throw new ProblemError(
      'conflict',
      'The account has no enrolment to confirm. Start one with POST /api/saas-auth/totp/enroll.',
    );
  const secret = unsealTotpSecret(vault, accountId, enrolment.secret);
  const step = await secondFactorThrottle.attempt(accountId, origin.ip, async () =>
    matchingStep(secret, code, Date.now()),
  );
  if (step === undefined) throw new ProblemError('invalid_credentials', 'The code is wrong.');
  const confirmed = { accountId, secret: enrolment.secret, step };
  return database.forAccount(accountId).transaction(async (transaction) => {
    const account = await lockAccount(transaction, accountId);
    if (!account) throw new ProblemError('invalid_bearer');
    if (!(await confirmEnrolment(transaction, confirmed)))
      throw new ProblemError('conflict', 'Another request has confirmed or restarted the enrolment.');
    const recoveryCodes = await createRecoveryCodes(services, transaction, accountId);
    await recordSecurityChange(services, transaction, account, {
      action: 'account.totp_enabled',
      origin,
      details: { before: { totpEnabled: false }, after: { totpEnabled: true } },
    });
    return { recoveryCodes };
  });
}

/** Turns the second factor off. Throws not_found and the errors of {@link reauthenticate}. */
export async function disableTotp(
  services: TotpServices,
  self: Self,
  credential: CurrentCredential,
): Promise<void> {
  const verified = await reauthenticate(services, self, credential);
  await services.database.forAccount(self.accountId).transaction(async (transaction) => {
    const account = await lockReauthenticated(transaction, verified);
    if (!(await deleteTotp(transaction, self.accountId))) throw noSecondFactor();
    await recordSecurityChange(services, transaction, account, {
      action: 'account.totp_disabled',
      origin: self.origin,
      details: { before: { totpEnabled: true }, after: { totpEnabled: false } },
    });
  });
}

/** Creates ten new recovery codes. The old ones stop working. Throws not_found and the errors of {@link reauthenticate}. */
export async function renewRecoveryCodes(
  services: TotpServices,
  self: Self,
  credential: CurrentCredential,
): Promise<{ recoveryCodes: string[] }> {
  const verified = await reauthenticate(services, self, credential);
  return services.database.forAccount(self.accountId).transaction(async (transaction) => {
    const account = await lockReauthenticated(transaction, verified);
    if (!(await findTotpSecret(transaction, self.accountId))) throw noSecondFactor();
    const recoveryCodes = await createRecoveryCodes(services, transaction, self.accountId);
    await recordSecurityChange(services, transaction, account, {
      action: 'account.recovery_codes_renewed',
      origin: self.origin,
      details: { recoveryCodes: recoveryCodes.length },
    });
    return { recoveryCodes };
  });
}

async function createRecoveryCodes(
  { vault }: TotpServices,
  transaction: Querier,
  accountId: string,
): Promise<string[]> {
  const codes = newRecoveryCodes();
  const hashes = codes.map((code) => recoveryCodeHash(vault, accountId, code));
  await replaceRecoveryCodes(transaction, accountId, hashes);
  return codes;
}

function noSecondFactor(): ProblemError {
  return new ProblemError('not_found', 'The account has no second factor.');
}
