import type { CreateBudget } from './attempt-budget.ts';
import { createNetworkBudget, type NetworkBudget } from './network-budget.ts';

/**
 * Sign-ups per network in 10 minutes. An office or a class may share a network. On a launch day, many players share one
 * NAT or the studio's game server. 600 players take one thirtieth of the capacity of one hashing slot.
 */
const SIGN_UPS = { accounts: 300, players: 600, wallets: 600 };
const WINDOW_SECONDS = 10 * 60;

/** The sign-ups of networks. A sign-up is counted before its password is hashed. */
export type SignUpBudget = Pick<NetworkBudget, 'spend'>;

/** Creates the budget of sign-ups. Console accounts, players and wallet-linked players are counted separately. */
export function createSignUpBudget(createBudget: CreateBudget, whose: keyof typeof SIGN_UPS): SignUpBudget {
  return createNetworkBudget(createBudget, {
    name: `sign-ups:${whose}`,
    attempts: SIGN_UPS[whose],
    seconds: WINDOW_SECONDS,
    refusal: `Too many sign-ups from this network (${SIGN_UPS[whose]} in 10 minutes). Retry after the number of seconds in Retry-After.`,
  });
}
