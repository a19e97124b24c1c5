import type { Querier } from '../../database/database.ts';
import type { AttemptBudget, OpenBudget } from '../../security/attempt-budget.ts';
import { Problem } from '../../shared/problem.ts';
import { countMail, secondsUntilMails } from './queries.ts';

/**
 * Mails to one address in a day, over all tenants and processes: with five tries at each code, a hundred guesses at a million
 * codes.
 */
export const MAILS_PER_DAY = 20;

/** Requests for mails from one network in an hour: a school or a carrier may share an address. */
const REQUESTS_PER_NETWORK = 200;

/** For requests that send mails to whatever address they name. */
export function openMailBudget(openBudget: OpenBudget): AttemptBudget {
  return openBudget({
    name: 'mail-requests',
    attempts: REQUESTS_PER_NETWORK,
    seconds: 60 * 60,
    refusal: 'Too many mails were asked for from here.',
  });
}

/** Counts a mail to an address. Throws too_many_attempts where it has had enough for the day. */
export async function spendMail(db: Querier, email: string): Promise<void> {
  if (await countMail(db, email, MAILS_PER_DAY)) return;
  throw new Problem('too_many_attempts', {
    detail:
      'Too many emails were sent to this address today. Retry after the number of seconds in Retry-After.',
    headers: { 'retry-after': String(await secondsUntilMails(db, email)) },
  });
}
