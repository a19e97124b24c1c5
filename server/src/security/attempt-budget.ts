import { isIPv4 } from 'node:net';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Problem } from '../shared/problem.ts';

/** How often somebody may try something within a time. Each process counts for itself. */
export interface AttemptBudget {
  /** Takes one attempt of `key`. Throws too_many_attempts where there is none left. */
  spend(key: string): Promise<void>;
  /** Gives one back. */
  giveBack(key: string): Promise<void>;
}

/** `refusal` is the sentence for those who have spent theirs. */
export function openAttemptBudget(options: {
  attempts: number;
  seconds: number;
  refusal: string;
}): AttemptBudget {
  const limiter = new RateLimiterMemory({ points: options.attempts, duration: options.seconds });
  return {
    async spend(key) {
      try {
        await limiter.consume(key);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
        throw new Problem('too_many_attempts', {
          detail: options.refusal,
          headers: { 'retry-after': String(seconds) },
        });
      }
    },
    async giveBack(key) {
      await limiter.reward(key);
    },
  };
}

/** What counts as one caller: an IPv4 address, or the /64 of an IPv6 one, for who has one has its 2^64 addresses. */
export function networkOf(address: string | null): string {
  if (address === null) return 'unknown';
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  if (isIPv4(plain)) return plain;
  const [start = '', end] = plain.split('::');
  const groups = start.split(':').filter(Boolean);
  const zeros = end === undefined ? 0 : 8 - groups.length - end.split(':').filter(Boolean).length;
  return [...groups, ...Array(zeros).fill('0'), ...(end ?? '').split(':')].slice(0, 4).join(':');
}
