import { networkOf } from '../core/network.ts';
import type { AttemptBudget, BudgetOptions, CreateBudget, ReservedAttempt } from './attempt-budget.ts';

/** Limits of wrong guesses: 10 for one account, and 100 of one network for all, because an office may share an address. */
const WRONG_PER_ACCOUNT = 10;
const WRONG_PER_NETWORK = 100;

const GUESS_WINDOW_SECONDS = 15 * 60;

/**
 * The window for codes of a second factor. Only a caller with the password or an access token can try a code. Three of a million
 * codes are accepted, so a day of guesses succeeds with a probability of 0.07 %.
 */
const SECOND_FACTOR_WINDOW_SECONDS = 60 * 60;

export interface GuessThrottle {
  /**
   * Compares a password or code. The attempt is reserved before the comparison, so that parallel guesses cannot exceed the
   * budget. The attempt is given back unless the guess was wrong. Throws too_many_attempts when the budget is spent or reserved, even
   * for the right guess. `account` is an id, or the email address if an account may not exist.
   */
  attempt(account: string, address: string | null, compare: () => Promise<boolean>): Promise<boolean>;
}

/** Creates a throttle for passwords. Console accounts, players and wallet-linked players are counted separately. */
export function createLoginThrottle(
  createBudget: CreateBudget,
  whose: 'accounts' | 'players' | 'wallets',
): GuessThrottle {
  return createGuessThrottle(createBudget, {
    name: `passwords:${whose}`,
    seconds: GUESS_WINDOW_SECONDS,
    refusal: 'Too many wrong passwords from this network. Retry after the number of seconds in Retry-After.',
    // Wrong passwords of one network do not lock the account for others.
    holderOf: (account, network) => `${network} ${account}`,
  });
}

/**
 * Creates a throttle for mailed codes. Each code allows five attempts, from all networks together. Without the throttle, a stranger
 * could use up every code of an address, and guess at the codes of many addresses.
 */
export function createOneTimeCodeThrottle(createBudget: CreateBudget): GuessThrottle {
  return createGuessThrottle(createBudget, {
    name: 'one-time-codes',
    seconds: GUESS_WINDOW_SECONDS,
    refusal: 'Too many wrong codes from this network. Retry after the number of seconds in Retry-After.',
    holderOf: (address, network) => `${network} ${address}`,
  });
}

/** Creates a throttle for codes of a second factor. The guesses for one account are counted from all networks together. */
export function createCodeThrottle(createBudget: CreateBudget): GuessThrottle {
  return createGuessThrottle(createBudget, {
    name: 'second-factor',
    seconds: SECOND_FACTOR_WINDOW_SECONDS,
    refusal: 'Too many wrong codes of the second factor. Retry after the number of seconds in Retry-After.',
    holderOf: (account) => account,
  });
}

interface GuessOptions extends Omit<BudgetOptions, 'attempts'> {
  /** Returns the key of the account's budget. */
  holderOf(account: string, network: string): string;
}

function createGuessThrottle(
  createBudget: CreateBudget,
  { name, seconds, refusal, holderOf }: GuessOptions,
): GuessThrottle {
  const create = (scope: string, attempts: number) =>
    createBudget({ name: `${name}:${scope}`, attempts, seconds, refusal });
  const perAccount = create('account', WRONG_PER_ACCOUNT);
  const perNetwork = create('network', WRONG_PER_NETWORK);
  return {
    attempt(account, address, compare) {
      const network = networkOf(address);
      return countWrong(
        [
          [perNetwork, network],
          [perAccount, holderOf(account, network)],
        ],
        compare,
      );
    },
  };
}

/** Reserves one attempt in each budget, and counts it if it was wrong. Otherwise gives it back. */
async function countWrong(
  budgets: [AttemptBudget, string][],
  compare: () => Promise<boolean>,
): Promise<boolean> {
  const reserved: ReservedAttempt[] = [];
  let wrong = false;
  try {
    for (const [budget, key] of budgets) reserved.push(await budget.reserve(key));
    wrong = !(await compare());
    return !wrong;
  } finally {
    for (const attempt of reserved) await (wrong ? attempt.count() : attempt.giveBack());
  }
}
