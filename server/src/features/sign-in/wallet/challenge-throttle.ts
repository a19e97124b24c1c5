import { networkOf, type CreateBudget } from '../../../security/attempt-budget.ts';

/** Challenges that one network may leave unanswered in a tenant, so that nobody fills the table with them. */
const UNANSWERED = 300;
const WINDOW_SECONDS = 15 * 60;

/** Who asks for a challenge, or answers one. */
export interface Asker {
  tenantId: string;
  ipAddress: string | null;
}

export interface ChallengeThrottle {
  /** Counts a challenge that is about to be issued. Throws too_many_attempts. */
  spend(asker: Asker): Promise<void>;
  /** One was answered as it should be: a game server that signs its players in one after the other never runs out. */
  giveBack(asker: Asker): Promise<void>;
}

export function createChallengeThrottle(createBudget: CreateBudget): ChallengeThrottle {
  const budget = createBudget({
    name: 'wallet-challenges',
    attempts: UNANSWERED,
    seconds: WINDOW_SECONDS,
    refusal: 'Too many challenges that were asked for from here were not answered.',
  });
  const keyOf = ({ tenantId, ipAddress }: Asker) => `${tenantId} ${networkOf(ipAddress)}`;
  return {
    spend: (asker) => budget.spend(keyOf(asker)),
    giveBack: (asker) => budget.giveBack(keyOf(asker)),
  };
}
