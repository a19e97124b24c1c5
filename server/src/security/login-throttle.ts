import { networkOf, type AttemptBudget, type CreateBudget } from './attempt-budget.ts';

/** Wrong passwords that one network may try: ten for one account, and a hundred for all, as an office may share an address. */
const WINDOW_SECONDS = 15 * 60;
const WRONG_PER_ACCOUNT = 10;
const WRONG_PER_NETWORK = 100;
const REFUSAL = 'Too many wrong passwords were tried from here.';

export interface LoginThrottle {
  /**
   * Compares a password. The try is counted before it is compared, so that parallel guesses do not exceed the budget, and
   * given back unless it was wrong. Throws too_many_attempts once the budget is spent, whatever the password.
   */
  attempt(email: string, address: string | null, compare: () => Promise<boolean>): Promise<boolean>;
}

/** `whose` passwords: those of dashboard accounts, of players and of wallet-linked players are counted apart. */
export function createLoginThrottle(
  createBudget: CreateBudget,
  whose: 'accounts' | 'players' | 'wallets',
): LoginThrottle {
  const open = (scope: string, attempts: number) =>
    createBudget({
      name: `passwords:${whose}:${scope}`,
      attempts,
      seconds: WINDOW_SECONDS,
      refusal: REFUSAL,
    });
  const perAccount = open('account', WRONG_PER_ACCOUNT);
  const perNetwork = open('network', WRONG_PER_NETWORK);

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
 * Wrong codes of a second factor: ten in an hour for an account, whatever networks they come from. Only somebody who knows
 * the password or holds an access token can try one. Three of a million codes are accepted, so a day of guesses succeeds with
 * 0.07 %.
 */
const CODE_WINDOW_SECONDS = 60 * 60;

/** As {@link LoginThrottle}, for the codes of accounts, named by their ids. */
export function openCodeThrottle(createBudget: CreateBudget): LoginThrottle {
  const open = (scope: string, attempts: number) =>
    createBudget({
      name: `second-factor:${scope}`,
      attempts,
      seconds: CODE_WINDOW_SECONDS,
      refusal: 'Too many wrong codes of the second factor were tried.',
    });
  const perAccount = open('account', WRONG_PER_ACCOUNT);
  const perNetwork = open('network', WRONG_PER_NETWORK);
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

/** Spends one try of each budget, and gives them back unless the try was wrong. */
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
