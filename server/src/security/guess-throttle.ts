import { siteOf } from '../core/network.ts';
import type { BudgetOptions, CreateBudget } from './attempt-budget.ts';
import { createNetworkBudget, reserveAll } from './network-budget.ts';

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
   * Compares a password or code, and returns the result of `compare`. The guess was wrong if the result is false or undefined. The attempt
   * is reserved before the comparison, so that parallel guesses cannot exceed the budget. The attempt is given back unless the guess was
   * wrong. Throws too_many_attempts when the budget is spent or reserved, even for the right guess. `account` is an id, or the email
   * address if an account may not exist.
   */
  attempt<Match>(account: string, address: string | null, compare: () => Promise<Match>): Promise<Match>;
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
    holderOf: (account, site) => `${site} ${account}`,
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
    holderOf: (address, site) => `${site} ${address}`,
  });
}

/** Creates a throttle for codes of a second factor. The guesses for one account are counted from all networks together. */
export function createSecondFactorThrottle(createBudget: CreateBudget): GuessThrottle {
  return createGuessThrottle(createBudget, {
    name: 'second-factor',
    seconds: SECOND_FACTOR_WINDOW_SECONDS,
    refusal: 'Too many wrong codes of the second factor. Retry after the number of seconds in Retry-After.',
    holderOf: (account) => account,
  });
}

interface GuessOptions extends Omit<BudgetOptions, 'attempts'> {
  /** Returns the key of the account's budget. */
  holderOf(account: string, site: string): string;
}

function createGuessThrottle(
  createBudget: CreateBudget,
  { name, seconds, refusal, holderOf }: GuessOptions,
): GuessThrottle {
  const optionsOf = (scope: string, attempts: number) => ({
    name: `${name}:${scope}`,
    attempts,
    seconds,
    refusal,
  });
  const perNetwork = createNetworkBudget(createBudget, optionsOf('network', WRONG_PER_NETWORK));
  const perAccount = createBudget(optionsOf('account', WRONG_PER_ACCOUNT));
  return {
    async attempt(account, address, compare) {
      const reserved = await reserveAll([
        () => perNetwork.reserve(address),
        () => perAccount.reserve(holderOf(account, siteOf(address))),
      ]);
      let wrong = false;
      try {
        const match = await compare();
        wrong = match === false || match === undefined;
        return match;
      } finally {
        await (wrong ? reserved.count() : reserved.giveBack());
      }
    },
  };
}
