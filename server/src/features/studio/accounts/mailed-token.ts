import type { Querier } from '../../../database/database.ts';
import type { AttemptBudget, CreateBudget } from '../../../security/attempt-budget.ts';
import { newOpaqueToken } from '../../../security/opaque-tokens.ts';
import { ProblemError } from '../../../core/problem.ts';
import { secondsFromNow } from '../../../core/timestamps.ts';
import { sendMail, type MailServices } from '../../messages/mail/index.ts';
import { resetPasswordMail, verifyEmailMail } from './email-templates.ts';
import { countTokens, insertToken } from './token-queries.ts';

/** How long a token works: a day to verify an address, an hour to set a password. */
const LIFETIME_SECONDS = { verify: 24 * 60 * 60, reset: 60 * 60 };

/**
 * Tokens of an account that have not expired. Nobody can lock an address out of mails by asking for too many: as long as
 * more are refused, the mails that were sent still work.
 */
const LIVE_TOKENS = 3;

/** A mail about a change is of use for a day. */
export const NOTICE_SECONDS = 24 * 60 * 60;

/** Requests for account mails from one network in an hour: an office may share an address. */
const REQUESTS_PER_NETWORK = 200;

/** Limits the account mails that one network can request. */
export function openAccountMailBudget(createBudget: CreateBudget): AttemptBudget {
  return createBudget({
    name: 'account-mail-requests',
    attempts: REQUESTS_PER_NETWORK,
    seconds: 60 * 60,
    refusal: `Too many mails were requested from this network (${REQUESTS_PER_NETWORK} per hour). Try again later.`,
  });
}

const templates = { verify: verifyEmailMail, reset: resetPasswordMail };

/**
 * Makes a token that works once, and mails it to the account's address. The account must be locked, so that parallel
 * requests count each other. Throws too_many_attempts.
 */
export async function mailToken(
  services: MailServices & { issuer: string },
  transaction: Querier,
  { id: accountId, email }: { id: string; email: string },
  purpose: 'verify' | 'reset',
): Promise<void> {
  const { count, seconds } = await countTokens(transaction, accountId, purpose);
  if (count >= LIVE_TOKENS)
    throw new ProblemError('too_many_attempts', {
      detail: 'Too many mails were sent to this address. The last one still works.',
      headers: { 'retry-after': String(seconds) },
    });
  const token = newOpaqueToken(purpose);
  const usefulSeconds = LIFETIME_SECONDS[purpose];
  await insertToken(transaction, {
    hash: services.vault.fingerprint(token),
    accountId,
    purpose,
    expiresAt: secondsFromNow(usefulSeconds),
  });
  const letter = templates[purpose]({ server: services.issuer, token });
  await sendMail(services, transaction, { to: email, content: letter, usefulSeconds });
}

/** One answer for every mailed token that does not work, whatever the reason. */
export function wrongToken(): ProblemError {
  return new ProblemError('invalid_credentials', 'The token is wrong, was used, or has expired.');
}
