import type { Querier } from '../../../database/database.ts';
import type { Self } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { sendMail, type EmailContent, type MailServices } from '../../messages/mail/index.ts';
import { recoveryCodesRenewedMail, secondFactorOffMail, secondFactorOnMail } from './email-templates.ts';
import { NOTICE_SECONDS } from './mailed-token.ts';
import { proveAgain, type Proof, type ProofServices } from './prove-again.ts';
import { isNewSession, lockAccount, type Account } from './queries.ts';
import { newRecoveryCodes, recoveryCodeHash } from './recovery-codes.ts';
import { totpPurpose } from './second-factor.ts';
import {
  confirmEnrolment,
  deleteTotp,
  findEnrolment,
  findTotpSecret,
  putEnrolment,
  replaceRecoveryCodes,
} from './totp-queries.ts';
import { base32, matchingStep, newTotpSecret, otpauthUri } from './totp.ts';

/** A session is new for 15 minutes: as long as its first access token lives. */
const NEW_SESSION_SECONDS = 15 * 60;

export type TotpServices = ProofServices & MailServices & { issuer: string };

/**
 * Begins to add a second factor: the secret for an authenticator app. It takes effect when a code confirms it. The address
 * must be verified: else somebody could sign up with a stranger's address and lock its owner out of it for good. A session
 * that is not new proves itself again: else a stolen access token could lock the owner out. Throws email_not_verified,
 * totp_enabled and what {@link proveAgain} throws.
 */
export async function enrollTotp(
  services: TotpServices,
  self: Self,
  proof: Proof,
): Promise<{ secret: string; otpauthUri: string }> {
  const { database, vault, issuer } = services;
  const { accountId, sessionId } = self;
  if (!(await isNewSession(database, sessionId, NEW_SESSION_SECONDS)))
    await proveAgain(services, self, proof);
  const secret = newTotpSecret();
  return database.transaction(async (transaction) => {
    const account = await lockAccount(transaction, accountId);
    if (!account) throw new ProblemError('invalid_bearer');
    if (!account.emailVerified)
      throw new ProblemError(
        'email_not_verified',
        'Verify your e-mail address first: POST /api/saas-auth/email/verify with the mailed token. ' +
          'POST /api/saas-auth/email/resend mails another one.',
      );
    const sealed = vault.seal(secret.toString('base64'), totpPurpose(accountId));
    if (!(await putEnrolment(transaction, accountId, sealed))) throw new ProblemError('totp_enabled');
    await record(transaction, self, 'account.totp_enrolled', { confirmed: false });
    const text = base32(secret);
    // An IPv6 address holds colons, and a label of an authenticator app ends at the first one.
    const name = `Guildhall ${new URL(issuer).hostname.replace(/[[\]]/g, '').replaceAll(':', '.')}`;
    return {
      secret: text,
      otpauthUri: otpauthUri({ issuer: name, email: account.email, secret: text }),
    };
  });
}

/**
 * Switches the second factor on, by a code that shows that the app has the secret, and returns the recovery codes. Throws
 * conflict, invalid_credentials and too_many_attempts.
 */
export async function confirmTotp(
  services: TotpServices,
  self: Self,
  code: string,
): Promise<{ recoveryCodes: string[] }> {
  const { database, vault, codeThrottle } = services;
  const { accountId, origin } = self;
  const enrolment = await findEnrolment(database, accountId);
  if (!enrolment) throw new ProblemError('conflict', 'Nothing waits to be confirmed. Enroll first.');
  const secret = Buffer.from(vault.open(enrolment.secret, totpPurpose(accountId)), 'base64');
  let step: number | undefined;
  await codeThrottle.attempt(accountId, origin.ip, async () => {
    step = matchingStep(secret, code, Date.now());
    return step !== undefined;
  });
  if (step === undefined) throw new ProblemError('invalid_credentials', 'The code is wrong.');
  const confirmed = { accountId, secret: enrolment.secret, step };
  return database.transaction(async (transaction) => {
    const account = await lockAccount(transaction, accountId);
    if (!account) throw new ProblemError('invalid_bearer');
    if (!(await confirmEnrolment(transaction, confirmed)))
      throw new ProblemError('conflict', 'Another request has confirmed or restarted the enrolment.');
    const recoveryCodes = await makeRecoveryCodes(services, transaction, accountId);
    const change = { before: { totpEnabled: false }, after: { totpEnabled: true } };
    await record(transaction, self, 'account.totp_enabled', change);
    await notify(
      services,
      transaction,
      account,
      secondFactorOnMail({ server: services.issuer, ip: origin.ip }),
    );
    return { recoveryCodes };
  });
}

/** Switches the second factor off. Throws not_found, and what {@link proveAgain} throws. */
export async function disableTotp(services: TotpServices, self: Self, proof: Proof): Promise<void> {
  const account = await proveAgain(services, self, proof);
  await services.database.transaction(async (transaction) => {
    await lockAccount(transaction, self.accountId);
    if (!(await deleteTotp(transaction, self.accountId))) throw noSecondFactor();
    const change = { before: { totpEnabled: true }, after: { totpEnabled: false } };
    await record(transaction, self, 'account.totp_disabled', change);
    const letter = secondFactorOffMail({ server: services.issuer, ip: self.origin.ip });
    await notify(services, transaction, account, letter);
  });
}

/** Makes ten new recovery codes. The old ones stop working. Throws not_found, and what {@link proveAgain} throws. */
export async function renewRecoveryCodes(
  services: TotpServices,
  self: Self,
  proof: Proof,
): Promise<{ recoveryCodes: string[] }> {
  const account = await proveAgain(services, self, proof);
  return services.database.transaction(async (transaction) => {
    await lockAccount(transaction, self.accountId);
    if (!(await findTotpSecret(transaction, self.accountId))) throw noSecondFactor();
    const recoveryCodes = await makeRecoveryCodes(services, transaction, self.accountId);
    await record(transaction, self, 'account.recovery_codes_renewed', {
      recoveryCodes: recoveryCodes.length,
    });
    const letter = recoveryCodesRenewedMail({ server: services.issuer, ip: self.origin.ip });
    await notify(services, transaction, account, letter);
    return { recoveryCodes };
  });
}

async function makeRecoveryCodes(
  { vault }: TotpServices,
  transaction: Querier,
  accountId: string,
): Promise<string[]> {
  const codes = newRecoveryCodes();
  const hashes = codes.map((code) => recoveryCodeHash(vault, accountId, code));
  await replaceRecoveryCodes(transaction, accountId, hashes);
  return codes;
}

function record(
  transaction: Querier,
  { accountId, origin }: Pick<Self, 'accountId' | 'origin'>,
  action: string,
  details: Record<string, unknown>,
): Promise<void> {
  const actor = { kind: 'account' as const, id: accountId };
  return auditTrail(transaction, [{ actor, origin, action, targetId: accountId, details }]);
}

function notify(
  services: MailServices,
  transaction: Querier,
  { email }: Account,
  letter: EmailContent,
): Promise<void> {
  return sendMail(services, transaction, { to: email, content: letter, usefulSeconds: NOTICE_SECONDS });
}

function noSecondFactor(): ProblemError {
  return new ProblemError('not_found', 'The account has no second factor.');
}
