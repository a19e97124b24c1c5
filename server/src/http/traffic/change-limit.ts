import type { FastifyRequest } from 'fastify';
import { attemptOf, spendAll, type CreateBudget } from '../../security/attempt-budget.ts';
import { createNetworkBudget } from '../../security/network-budget.ts';
import { clientAddress } from '../client-address.ts';

/**
 * Changes write rows and audit records that are kept. Without a daily limit, one account could write 52 GB in 24 hours: 30 bans per second
 * with the longest note, which take 20 KB each. Sign-ups are free, so a network has a limit too.
 */
const CHANGES_PER_DAY = { account: 50_000, network: 500_000 };

/** Counts a request of a console account that changes something. A refused one is not counted. Throws too_many_attempts. */
export type CountChange = (request: FastifyRequest) => Promise<void>;

/** Limits the changes of console accounts within 24 hours. */
export function createChangeLimit(createBudget: CreateBudget): CountChange {
  const optionsOf = (whose: keyof typeof CHANGES_PER_DAY) => {
    const attempts = CHANGES_PER_DAY[whose];
    return {
      name: `changes:${whose}`,
      attempts,
      seconds: 24 * 60 * 60,
      refusal: `This ${whose} can make at most ${attempts} changes in 24 hours. Try again later.`,
    };
  };
  const ofAccount = createBudget(optionsOf('account'));
  const ofNetwork = createNetworkBudget(createBudget, optionsOf('network'));
  return async (request) => {
    const { accountCaller, method, routeOptions } = request;
    // Viewers change nothing: their operations with another method than GET are queries.
    if (!accountCaller || method === 'GET' || routeOptions.config.role === 'viewer') return;
    // The account is first: the changes that it is refused must not use up those of its network.
    await spendAll([
      attemptOf(ofAccount, accountCaller.accountId),
      attemptOf(ofNetwork, clientAddress(request)),
    ]);
  };
}
