import type { Querier } from '../../../database/database.ts';
import { networkOf, type AttemptBudget, type CreateBudget } from '../../../security/attempt-budget.ts';
import { ProblemError } from '../../../core/problem.ts';
import { countMail, countStrangersMail, isUsedHere, secondsUntilMails } from './queries.ts';

/** Mails to one address in a day on behalf of one tenant, or of the player portal. With five tries at each code, a hundred guesses. */
const MAILS_PER_DAY = 20;

/**
 * Mails to one address in a day on behalf of all tenants in which nobody has signed in with it. So however many tenants
 * somebody makes, they mail a stranger no more than this, and guess no more codes.
 */
const STRANGERS_MAILS_PER_DAY = 20;

/** Requests for mails from one network in an hour: a school or a carrier may share an address. */
const REQUESTS_PER_NETWORK = 200;

/**
 * Requests for mails to one address from one network in a day. It is less than MAILS_PER_DAY: one network cannot use up what
 * an address may get from a tenant.
 */
const REQUESTS_PER_NETWORK_AND_ADDRESS = 10;

/** Notices of profile changes to one address in a day. More would be a way to flood a mailbox. */
const NOTICES_PER_DAY = 20;

/** Stands for a tenant where mails are counted that are about a profile. No tenant has this id: their ids are UUIDv7. */
export const NOTICES = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Limits requests that send mails to whatever address they name. */
export interface MailBudget {
  /** Throws too_many_attempts. */
  spend(ipAddress: string | null, email: string): Promise<void>;
}

export function createMailBudget(createBudget: CreateBudget): MailBudget {
  const perNetwork: AttemptBudget = createBudget({
    name: 'mail-requests',
    attempts: REQUESTS_PER_NETWORK,
    seconds: 60 * 60,
    refusal: `Too many mails were requested from this network (${REQUESTS_PER_NETWORK} per hour). Try again later.`,
  });
  const perAddress: AttemptBudget = createBudget({
    name: 'mail-requests-for-address',
    attempts: REQUESTS_PER_NETWORK_AND_ADDRESS,
    seconds: 24 * 60 * 60,
    refusal: `Too many mails to this address were requested from this network (${REQUESTS_PER_NETWORK_AND_ADDRESS} per day). Use another sign-in method.`,
  });
  return {
    async spend(ipAddress, email) {
      const network = networkOf(ipAddress);
      await perNetwork.spend(network);
      await perAddress.spend(`${network} ${email}`);
    },
  };
}

/** What becomes of a mail that was asked for. */
export type MailVerdict =
  | 'send'
  /** Nothing is sent, and the answer is the same: else it would tell in which tenants an address signs in. */
  | 'hold'
  /** The address has had its mails from the tenant for the day. */
  | 'refuse';

/**
 * Counts a mail to an address on behalf of a tenant. An address that signs in there has a budget of its own in the tenant, which
 * nothing that other tenants do can use up.
 */
export async function judgeMail(db: Querier, tenantId: string, email: string): Promise<MailVerdict> {
  if (!(await countMail(db, tenantId, email, MAILS_PER_DAY))) return 'refuse';
  const isOwn = await isUsedHere(db, tenantId, email);
  const isStrangers = await countStrangersMail(db, email, { counts: !isOwn, limit: STRANGERS_MAILS_PER_DAY });
  return isOwn || isStrangers ? 'send' : 'hold';
}

/** As {@link judgeMail}. Throws too_many_attempts instead of a refusal. */
export async function spendMail(db: Querier, tenantId: string, email: string): Promise<'send' | 'hold'> {
  const verdict = await judgeMail(db, tenantId, email);
  if (verdict !== 'refuse') return verdict;
  throw tooManyMails(await secondsUntilMails(db, tenantId, email));
}

/** Counts a mail of the player portal, which writes to verified addresses alone. Throws too_many_attempts. */
export async function spendPortalMail(db: Querier, portal: string, email: string): Promise<'send'> {
  if (await countMail(db, portal, email, MAILS_PER_DAY)) return 'send';
  throw tooManyMails(await secondsUntilMails(db, portal, email));
}

/** Counts a notice to an address. False if it has had enough for the day. */
export function spendNotice(db: Querier, email: string): Promise<boolean> {
  return countMail(db, NOTICES, email, NOTICES_PER_DAY);
}

function tooManyMails(seconds: number): ProblemError {
  return new ProblemError('too_many_attempts', {
    detail: `Too many mails were sent to this address today (${MAILS_PER_DAY} per day). Wait, or use another sign-in method.`,
    headers: { 'retry-after': String(seconds) },
  });
}
