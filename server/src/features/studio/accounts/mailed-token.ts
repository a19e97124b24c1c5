import type { Querier } from '../../../database/database.ts';
import type { CreateBudget } from '../../../security/attempt-budget.ts';
import { createNetworkBudget, type NetworkBudget } from '../../../security/network-budget.ts';
import { ProblemError } from '../../../core/problem.ts';
import { sendMail, type MailServices } from '../../messages/mail/index.ts';
import { issueToken } from './account-token.ts';
import { resetAccountPasswordEmail, verifyAccountEmail } from './email-templates.ts';
import { countTokens } from './token-queries.ts';

/** Verification tokens are valid for 24 hours, password reset tokens for 1 hour. */
const LIFETIME_SECONDS = { verify: 24 * 60 * 60, reset: 60 * 60 };

/**
 * How many valid tokens an account can have per purpose. The limit cannot lock an account out: while new emails are refused,
 * the tokens of the earlier emails still work.
 */
const MAX_VALID_TOKENS = 3;

/** Requests for account emails per network and hour. The limit is high, because an office can share one IP address. */
const REQUESTS_PER_NETWORK = 200;

/** Creates the budget that limits how many account emails one network can request. */
export function createAccountMailBudget(createBudget: CreateBudget): NetworkBudget {
  return createNetworkBudget(createBudget, {
    name: 'account-mail-requests',
    attempts: REQUESTS_PER_NETWORK,
    seconds: 60 * 60,
    refusal: `Too many emails were requested from this network (limit: ${REQUESTS_PER_NETWORK} per hour). Try again later.`,
  });
}

const templates = { verify: verifyAccountEmail, reset: resetAccountPasswordEmail };

/**
 * Creates a single-use token and mails it to the address of the account. The caller must lock the account, so that parallel
 * requests count each other. Throws too_many_attempts.
 */
export async function mailToken(
  services: MailServices & { issuer: string },
  transaction: Querier,
  { id: accountId, email }: { id: string; email: string },
  purpose: 'verify' | 'reset',
): Promise<void> {
  const { count, seconds } = await countTokens(transaction, accountId, purpose);
  if (count >= MAX_VALID_TOKENS)
    throw new ProblemError('too_many_attempts', {
      detail: 'Too many emails were sent to this address. Use the token from the last one.',
      retryAfter: seconds,
    });
  const usefulSeconds = LIFETIME_SECONDS[purpose];
  const token = await issueToken(transaction, services.vault, { accountId, purpose, seconds: usefulSeconds });
  const content = templates[purpose]({ server: services.issuer, token });
  await sendMail(services, transaction, { to: email, content, usefulSeconds });
}
