import type { BudgetOptions, CreateBudget } from '../../../security/attempt-budget.ts';
import { createNetworkBudget } from '../../../security/network-budget.ts';

/** Unanswered challenges per network and tenant. The limit keeps the table small. */
const UNANSWERED = 300;
const WINDOW_SECONDS = 15 * 60;

/** The tenant and client address of a request for a challenge, or of its answer. */
export interface ChallengeSource {
  tenantId: string;
  ipAddress: string | null;
}

export interface ChallengeThrottle {
  /** Counts a challenge before it is issued. Throws too_many_attempts. */
  spend(source: ChallengeSource): Promise<void>;
  /** Uncounts a correctly answered challenge, so a game server can sign in any number of players one at a time. */
  giveBack(source: ChallengeSource): Promise<void>;
}

export function createChallengeThrottle(createBudget: CreateBudget): ChallengeThrottle {
  return createSourceBudget(createBudget, {
    name: 'wallet-challenges',
    attempts: UNANSWERED,
    seconds: WINDOW_SECONDS,
    refusal:
      'Too many unanswered challenges from this network (300 in 15 minutes). Answer them, or try again later.',
  });
}

/** Creates a limit per network and tenant. */
export function createSourceBudget(createBudget: CreateBudget, options: BudgetOptions): ChallengeThrottle {
  const budget = createNetworkBudget(createBudget, options);
  return {
    spend: ({ tenantId, ipAddress }) => budget.spend(ipAddress, tenantId),
    giveBack: ({ tenantId, ipAddress }) => budget.giveBack(ipAddress, tenantId),
  };
}
