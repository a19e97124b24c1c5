import { networkOf, type CreateBudget } from './attempt-budget.ts';

/**
 * Sign-ups of one network: an office or a class at the dashboard, and the players of a launch day behind one NAT or behind the
 * studio's own game server. 600 players in 10 minutes take a thirtieth of what one hashing slot does.
 */
const SIGN_UPS = { accounts: 300, players: 600, wallets: 600 };
const WINDOW_SECONDS = 10 * 60;

export interface SignUpThrottle {
  /** Counts a sign-up before its password is hashed. Throws too_many_attempts. */
  spend(address: string | null): Promise<void>;
}

/** `whose` sign-ups: those of dashboard accounts, of players and of wallet-linked players are counted apart. */
export function openSignUpThrottle(createBudget: CreateBudget, whose: keyof typeof SIGN_UPS): SignUpThrottle {
  const budget = createBudget({
    name: `sign-ups:${whose}`,
    attempts: SIGN_UPS[whose],
    seconds: WINDOW_SECONDS,
    refusal: `Too many sign-ups from this network (${SIGN_UPS[whose]} in 10 minutes). Wait as Retry-After says.`,
  });
  return { spend: (address) => budget.spend(networkOf(address)) };
}
