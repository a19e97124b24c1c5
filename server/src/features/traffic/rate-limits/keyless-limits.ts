import { RateLimiterRes } from 'rate-limiter-flexible';
import type { KeylessCaller, RateLimitVerdict } from '../../../http/traffic/rate-limit.ts';
import { NETWORKS_OF_SITE } from '../../../security/network-budget.ts';
import { createLimiter, type SharedCounts } from '../../../security/limiter.ts';

/** Requests in a second, averaged over one window. */
export interface KeylessLimits {
  /** The limit of a console account or a player. */
  account: number;
  network: number;
}

/** A page of the console sends up to 50 requests at once. In a shorter window, such a burst would need a higher limit. */
const WINDOW_SECONDS = 10;

/**
 * Counts requests without a key in a fixed window of 10 seconds. All processes share the counts, like those of
 * attempts.
 */
export function createKeylessLimits(
  shared: SharedCounts,
  { account, network }: KeylessLimits,
): (caller: KeylessCaller, cost: number) => Promise<RateLimitVerdict> {
  const create = (name: string, perSecond: number) => {
    const points = perSecond * WINDOW_SECONDS;
    return {
      points,
      limiter: createLimiter(shared, { name: `requests:${name}`, points, seconds: WINDOW_SECONDS }),
    };
  };
  const limits = {
    account: create('account', account),
    player: create('player', account),
    network: create('network', network),
    site: create('site', network * NETWORKS_OF_SITE),
  };

  return async ({ kind, id }, cost) => {
    const { points, limiter } = limits[kind];
    const verdict = (
      admitted: boolean,
      { consumedPoints, msBeforeNext }: RateLimiterRes,
    ): RateLimitVerdict => ({
      admitted,
      window: `${WINDOW_SECONDS} seconds`,
      limit: points,
      remaining: points - (admitted ? consumedPoints : consumedPoints - cost),
      resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
    });
    try {
      return verdict(true, await limiter.consume(id, cost));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      // The limiter did not count it: after an expensive request, others that fit are still admitted.
      return verdict(false, refused);
    }
  };
}
