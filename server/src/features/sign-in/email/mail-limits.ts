import type { Querier } from '../../../database/database.ts';
import { isRolledBack } from '../../../database/errors.ts';
import { siteOf } from '../../../core/network.ts';
import { attemptOf, spendAll, type CreateBudget } from '../../../security/attempt-budget.ts';
import { createNetworkBudget } from '../../../security/network-budget.ts';
import { isBusy, ProblemError } from '../../../core/problem.ts';
import {
  countMail,
  countUnrelatedMail,
  isVerifiedInTenant,
  MAILS_PER_DAY,
  secondsUntilMailAllowed,
} from './mail-limit-queries.ts';

/** Requests for emails per hour from one network. A school or a carrier may share one IP address. */
const REQUESTS_PER_NETWORK = 200;

/**
 * Requests for emails per day from one network to one address. It is less than MAILS_PER_DAY, so one network cannot use up an
 * address's limit.
 */
const REQUESTS_PER_NETWORK_AND_ADDRESS = 10;

/** Limits requests that send email to an address in the request. */
export interface MailBudget {
  /**
   * Counts a request and runs `work`, which sends its email. The request does not count if no email is sent, because of an earlier one,
   * because the server is busy, or because the transaction is rolled back. Throws too_many_attempts.
   */
  count<Result extends { isSent: boolean }>(
    ipAddress: string | null,
    email: string,
    work: () => Promise<Result>,
  ): Promise<Result>;
  /**
   * Counts the mail of a sign-up for its address only: the sign-ups of a network have a limit of their own. A refused sign-up does not
   * count. Throws too_many_attempts.
   */
  countSignUp<Result>(ipAddress: string | null, email: string, work: () => Promise<Result>): Promise<Result>;
}

export function createMailBudget(createBudget: CreateBudget): MailBudget {
  const perNetwork = createNetworkBudget(createBudget, {
    name: 'mail-requests',
    attempts: REQUESTS_PER_NETWORK,
    seconds: 60 * 60,
    refusal: `Too many emails were requested from this network (${REQUESTS_PER_NETWORK} per hour). Try again later.`,
  });
  const perAddress = createBudget({
    name: 'mail-requests-for-address',
    attempts: REQUESTS_PER_NETWORK_AND_ADDRESS,
    seconds: 24 * 60 * 60,
    refusal: `Too many emails to this address were requested from this network (${REQUESTS_PER_NETWORK_AND_ADDRESS} per day). Use another sign-in method.`,
  });
  return {
    async count(ipAddress, email, work) {
      const attempts = [
        attemptOf(perNetwork, ipAddress),
        attemptOf(perAddress, `${siteOf(ipAddress)} ${email}`),
      ];
      // Both or none: one client must not use up the budget of its network with requests that are refused.
      await spendAll(attempts);
      const giveBack = async (): Promise<void> => {
        for (const attempt of attempts) await attempt.giveBack();
      };
      try {
        const result = await work();
        if (!result.isSent) await giveBack();
        return result;
      } catch (error) {
        if (isBusy(error) || isRolledBack(error)) await giveBack();
        throw error;
      }
    },
    async countSignUp(ipAddress, email, work) {
      const forAddress = `${siteOf(ipAddress)} ${email}`;
      await perAddress.spend(forAddress);
      try {
        return await work();
      } catch (error) {
        if (error instanceof ProblemError || isRolledBack(error)) await perAddress.giveBack(forAddress);
        throw error;
      }
    },
  };
}

/**
 * What happens to an email within the limit of its tenant. `hold` stores it without sending it. The response stays the same, so it does
 * not disclose in which tenants the address signs in.
 */
export type MailDecision = 'send' | 'hold';

/**
 * Counts an email from a tenant to an address. If the address signs in to the tenant, only the limit of this tenant applies: other
 * tenants cannot use it up. Returns undefined if the tenant has reached its daily limit for the address.
 */
export async function decideMail(
  db: Querier,
  tenantId: string,
  email: string,
): Promise<MailDecision | undefined> {
  if (!(await countMail(db, tenantId, email))) return undefined;
  const isOwn = await isVerifiedInTenant(db, tenantId, email);
  const isUnderLimit = await countUnrelatedMail(db, email, { counts: !isOwn });
  return isOwn || isUnderLimit ? 'send' : 'hold';
}

/** Runs {@link decideMail}. Throws too_many_attempts if the tenant has reached its limit. */
export async function spendMail(db: Querier, tenantId: string, email: string): Promise<MailDecision> {
  const decision = await decideMail(db, tenantId, email);
  if (decision) return decision;
  throw await tooManyMails(db, tenantId, email);
}

/** Counts an email of the player portal, which sends to verified addresses only. Throws too_many_attempts. */
export async function spendPortalMail(db: Querier, portalId: string, email: string): Promise<'send'> {
  if (await countMail(db, portalId, email)) return 'send';
  throw await tooManyMails(db, portalId, email);
}

async function tooManyMails(db: Querier, tenantId: string, email: string): Promise<ProblemError> {
  return new ProblemError('too_many_attempts', {
    detail: `Too many emails were sent to this address today (${MAILS_PER_DAY} per day). Wait, or use another sign-in method.`,
    retryAfter: await secondsUntilMailAllowed(db, tenantId, email),
  });
}
