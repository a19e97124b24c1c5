import type { CreateBudget } from '../../../security/attempt-budget.ts';
import { createNetworkBudget, type NetworkBudget } from '../../../security/network-budget.ts';

/** Unanswered challenges per network and tenant. The limit keeps the table small. */
const UNANSWERED = 300;
const WINDOW_SECONDS = 15 * 60;

/** The tenant and client address of a request for a challenge, or of its answer. */
export interface ChallengeSource {
  tenantId: string;
  ipAddress: string | null;
}

/**
 * Counts a challenge before it is issued. Gives a correctly answered one back, so a game server can sign in any number of players one at a
 * time. The subject is the tenant.
 */
export function createChallengeBudget(createBudget: CreateBudget): NetworkBudget {
  return createNetworkBudget(createBudget, {
    name: 'wallet-challenges',
    attempts: UNANSWERED,
    seconds: WINDOW_SECONDS,
    refusal:
      'Too many unanswered challenges from this network (300 in 15 minutes). Answer them, or try again later.',
  });
}
