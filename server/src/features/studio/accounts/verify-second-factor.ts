import type { Database } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import type { LoginThrottle } from '../../../security/login-throttle.ts';
import { newOpaqueToken } from '../../../security/opaque-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import { secondsFromNow } from '../../../core/timestamps.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import { sendMail, type MailServices } from '../../messages/mail/index.ts';
import { recoveryCodeUsedMail } from './email-templates.ts';
import type { SignedIn } from './issue-tokens.ts';
import { NOTICE_SECONDS } from './mailed-token.ts';
import { createSession, type SessionServices } from './open-session.ts';
import { lockAccount, type AccountWithPassword } from './queries.ts';
import { useSecondFactor } from './second-factor.ts';
import { findToken, insertToken, keepNewestTokens, useToken } from './token-queries.ts';
import { countRecoveryCodes } from './totp-queries.ts';

/** How long a login waits for the second factor: 5 minutes. */
const MFA_TOKEN_SECONDS = 5 * 60;
/** Logins of one account that wait at the same time. The oldest one ends first. */
const WAITING_LOGINS = 10;

/** What a login answers whose password was right, and whose account has a second factor. */
export interface SecondFactorNeeded {
  mfaToken: string;
  expiresIn: number;
}

/** Gives a login the token with which it goes on once the second factor is there. It is good for nothing else. */
export async function askForSecondFactor(
  { database, vault }: { database: Database; vault: Vault },
  { id: accountId, passwordHash }: AccountWithPassword,
): Promise<SecondFactorNeeded> {
  const mfaToken = newOpaqueToken('mfa');
  await database.transaction(async (transaction) => {
    const account = await lockAccount(transaction, accountId);
    if (account?.passwordHash !== passwordHash) throw new ProblemError('invalid_credentials');
    await insertToken(transaction, {
      hash: vault.fingerprint(mfaToken),
      accountId,
      purpose: 'mfa',
      expiresAt: secondsFromNow(MFA_TOKEN_SECONDS),
    });
    await keepNewestTokens(transaction, accountId, 'mfa', WAITING_LOGINS);
  });
  return { mfaToken, expiresIn: MFA_TOKEN_SECONDS };
}

/**
 * Finishes a login by a code of the authenticator app, or by a recovery code. Every code works once. Wrong ones are counted
 * before they are compared, and leave the login waiting. Throws invalid_credentials and too_many_attempts.
 */
export async function verifySecondFactor(
  services: MailServices &
    SessionServices & { database: Database; issuer: string; codeThrottle: LoginThrottle },
  origin: Origin,
  given: { mfaToken: string; code?: string | undefined; recoveryCode?: string | undefined },
): Promise<SignedIn> {
  const { database, vault } = services;
  const hash = vault.fingerprint(given.mfaToken);
  const login = await findToken(database, 'mfa', hash);
  if (!login)
    throw new ProblemError('invalid_credentials', 'The mfaToken is wrong or has expired. Sign in again.');
  const { accountId } = login;

  const finish = () =>
    database.transaction(async (transaction) => {
      const account = await lockAccount(transaction, accountId);
      if (!account || !(await useSecondFactor(transaction, vault, accountId, given))) return undefined;
      if (!(await useToken(transaction, 'mfa', hash)))
        throw new ProblemError('invalid_credentials', 'The mfaToken was used. Sign in again.');
      if (given.code === undefined) {
        const left = await countRecoveryCodes(transaction, accountId);
        await auditTrail(transaction, [
          {
            actor: { kind: 'account', id: accountId },
            origin,
            action: 'account.recovery_code_used',
            targetId: accountId,
            details: { recoveryCodesLeft: left },
          },
        ]);
        const letter = recoveryCodeUsedMail({ server: services.issuer, ip: origin.ip, left });
        await sendMail(services, transaction, {
          to: account.email,
          content: letter,
          usefulSeconds: NOTICE_SECONDS,
        });
      }
      return createSession(transaction, services, account, origin);
    });

  let signedIn: SignedIn | undefined;
  await services.codeThrottle.attempt(accountId, origin.ip, async () => {
    signedIn = await finish();
    return signedIn !== undefined;
  });
  if (!signedIn) throw new ProblemError('invalid_credentials', 'The code is wrong or was used.');
  return signedIn;
}
