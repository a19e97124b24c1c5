import { isIPv4 } from 'node:net';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Problem } from '../../shared/problem.ts';

/**
 * Wrong passwords that one network may try: ten for one account, and a hundred for all, as an office may share an address.
 * Each process counts for itself.
 */
const WINDOW_SECONDS = 15 * 60;
const WRONG_PER_ACCOUNT = 10;
const WRONG_PER_NETWORK = 100;

export interface LoginThrottle {
  /**
   * Compares a password. The try is counted before it is compared, so that parallel guesses do not exceed the budget, and
   * given back unless it was wrong. Throws too_many_attempts once the budget is spent, whatever the password.
   */
  attempt(email: string, address: string | null, compare: () => Promise<boolean>): Promise<boolean>;
}

export function openLoginThrottle(): LoginThrottle {
  const perAccount = new RateLimiterMemory({ points: WRONG_PER_ACCOUNT, duration: WINDOW_SECONDS });
  const perNetwork = new RateLimiterMemory({ points: WRONG_PER_NETWORK, duration: WINDOW_SECONDS });

  return {
    async attempt(email, address, compare) {
      const network = networkOf(address);
      const budgets = [
        { limiter: perNetwork, key: network },
        { limiter: perAccount, key: `${network} ${email}` },
      ];
      const spent: typeof budgets = [];
      let wrong = false;
      try {
        for (const budget of budgets) {
          await spend(budget.limiter, budget.key);
          spent.push(budget);
        }
        wrong = !(await compare());
        return !wrong;
      } finally {
        if (!wrong) for (const { limiter, key } of spent) await limiter.reward(key);
      }
    },
  };
}

async function spend(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
    throw new Problem('too_many_attempts', {
      detail: 'Too many wrong passwords were tried from here.',
      headers: { 'retry-after': String(seconds) },
    });
  }
}

/** Who has one IPv6 address has the 2^64 of its network. */
function networkOf(address: string | null): string {
  if (address === null) return 'unknown';
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  if (isIPv4(plain)) return plain;
  const [start = '', end] = plain.split('::');
  const groups = start.split(':').filter(Boolean);
  const zeros = end === undefined ? 0 : 8 - groups.length - end.split(':').filter(Boolean).length;
  return [...groups, ...Array(zeros).fill('0'), ...(end ?? '').split(':')].slice(0, 4).join(':');
}
