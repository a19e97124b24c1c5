import type { Database, Querier } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import type { GuessThrottle } from '../../../security/guess-throttle.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { issueToken, refusedToken, requireToken } from './account-token.ts';
import { type SignedIn, createSession, type SessionServices } from './sessions.ts';
import { lockAccount, type AccountWithPassword } from './queries.ts';
import { recordSecurityChange } from './record-security-change.ts';
import { consumeSecondFactor } from './second-factor.ts';
import { keepNewestTokens, consumeToken } from './token-queries.ts';
import { countRecoveryCodes } from './totp-queries.ts';

/** How long a login waits for the second factor. */
const MFA_TOKEN_SECONDS = 5 * 60;
/** How many logins of one account can wait for the second factor. An additional login ends the oldest one. */
const MAX_WAITING_LOGINS = 10;

/** The response to a login with a correct password if the account has a second factor. */
export interface SecondFactorNeeded {
  mfaToken: string;
  expiresIn: number;
}

/** Creates the token with which a login continues to the second factor. The token has no other use. */
export async function requestSecondFactor(
  { database, vault }: { database: Database; vault: Vault },
  { id: accountId, passwordHash }: AccountWithPassword,
): Promise<SecondFactorNeeded> {
  const mfaToken = await database.forAccount(accountId).transaction(async (transaction) => {
    const account = await lockAccount(transaction, accountId);
    if (account?.passwordHash !== passwordHash) throw new ProblemError('invalid_credentials');
    const token = await issueToken(transaction, vault, {
      accountId,
      purpose: 'mfa',
      seconds: MFA_TOKEN_SECONDS,
    });
    await keepNewestTokens(transaction, accountId, 'mfa', MAX_WAITING_LOGINS);
    return token;
  });
  return { mfaToken, expiresIn: MFA_TOKEN_SECONDS };
}

/**
 * Completes a login with a code of the authenticator app or a recovery code. Each code works once. An attempt is counted before
 * the code is compared. After a wrong code, the login can try again. Throws invalid_credentials and too_many_attempts.
 */
export async function verifySecondFactor(
  services: MailServices &
    SessionServices & { database: Database; issuer: string; secondFactorThrottle: GuessThrottle },
  origin: Origin,
  given: { mfaToken: string; code?: string | undefined; recoveryCode?: string | undefined },
): Promise<SignedIn> {
  const { database, vault } = services;
  const { accountId, hash } = await requireToken(services, 'mfa', given.mfaToken);

  const signedIn = await services.secondFactorThrottle.attempt(accountId, origin.ip, () =>
    database.forAccount(accountId).transaction(async (transaction) => {
      const account = await lockAccount(transaction, accountId);
      if (!account || !(await consumeSecondFactor(transaction, vault, accountId, given))) return undefined;
      if (!(await consumeToken(transaction, 'mfa', hash))) throw refusedToken('mfa');
      if (given.code === undefined) await reportRecoveryCode(services, transaction, account, origin);
      return createSession(transaction, services, account, origin);
    }),
  );
  if (!signedIn) throw new ProblemError('invalid_credentials', 'The code is wrong or was used.');
  return signedIn;
}

/** Writes the audit record of a used recovery code, and mails a notice to the account. */
async function reportRecoveryCode(
  services: MailServices & { issuer: string },
  transaction: Querier,
  account: AccountWithPassword,
  origin: Origin,
): Promise<void> {
  const left = await countRecoveryCodes(transaction, account.id);
  await recordSecurityChange(services, transaction, account, {
    action: 'account.recovery_code_used',
    origin,
    details: { recoveryCodesLeft: left },
    more: `${left} recovery codes are left.`,
  });
}
