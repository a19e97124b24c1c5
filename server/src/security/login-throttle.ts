import { networkOf, type AttemptBudget, type CreateBudget } from './attempt-budget.ts';

/**
 * Limits of wrong passwords per network: 10 for one account and 100 for all, because an office may share an address.
 */
const WINDOW_SECONDS = 15 * 60;
const WRONG_PER_ACCOUNT = 10;
const WRONG_PER_NETWORK = 100;
const REFUSAL =
  'Too many wrong passwords from this network. Retry after the number of seconds in Retry-After.';

export interface LoginThrottle {
  /**
   * Compares a password. The attempt is counted before the comparison, so that parallel guesses cannot exceed the
   * budget. The attempt is given back unless the password was wrong. Throws too_many_attempts when the budget is spent, also for
   * the right password.
   */
  attempt(email: string, address: string | null, compare: () => Promise<boolean>): Promise<boolean>;
}

/** Creates a throttle for passwords. Dashboard accounts, players and wallet-linked players are counted separately. */
export function createLoginThrottle(
  createBudget: CreateBudget,
  whose: 'accounts' | 'players' | 'wallets',
): LoginThrottle {
  const createScoped = (scope: string, attempts: number) =>
    createBudget({
      name: `passwords:${whose}:${scope}`,
      attempts,
      seconds: WINDOW_SECONDS,
      refusal: REFUSAL,
    });
  const perAccount = createScoped('account', WRONG_PER_ACCOUNT);
  const perNetwork = createScoped('network', WRONG_PER_NETWORK);

  return {
    attempt(email, address, compare) {
      const network = networkOf(address);
      return countWrong(
        [
          [perNetwork, network],
          [perAccount, `${network} ${email}`],
        ],
        compare,
      );
    },
  };
}

/**
 * Limits of wrong codes of a second factor: 10 per hour and account, from all networks together. Only a caller with the
 * password or an access token can try a code. Three of a million codes are accepted, so a day of guesses succeeds with
 * a probability of 0.07 %.
 */
const CODE_WINDOW_SECONDS = 60 * 60;

/** Creates a throttle for codes of a second factor. Accounts are named by id. */
export function createCodeThrottle(createBudget: CreateBudget): LoginThrottle {
  const createScoped = (scope: string, attempts: number) =>
    createBudget({
      name: `second-factor:${scope}`,
      attempts,
      seconds: CODE_WINDOW_SECONDS,
      refusal: 'Too many wrong codes of the second factor. Retry after the number of seconds in Retry-After.',
    });
  const perAccount = createScoped('account', WRONG_PER_ACCOUNT);
  const perNetwork = createScoped('network', WRONG_PER_NETWORK);
  return {
    attempt: (accountId, address, compare) =>
      countWrong(
        [
          [perNetwork, networkOf(address)],
          [perAccount, accountId],
        ],
        compare,
      ),
  };
}

/** Counts one attempt in each budget, and gives them back unless the attempt was wrong. */
async function countWrong(
  budgets: [AttemptBudget, string][],
  compare: () => Promise<boolean>,
): Promise<boolean> {
  const spent: typeof budgets = [];
  let wrong = false;
  try {
    for (const [budget, key] of budgets) {
      await budget.spend(key);
      spent.push([budget, key]);
    }
    wrong = !(await compare());
    return !wrong;
  } finally {
    if (!wrong) for (const [budget, key] of spent) await budget.giveBack(key);
  }
}
