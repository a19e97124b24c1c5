import { RateLimiterRes, type IRateLimiterOptions } from 'rate-limiter-flexible';
import { COUNT_WITHIN_MS, type Channel } from '../processes/channel.ts';
import { MemoryLimiter } from './memory-limiter.ts';

type Change = 'consume' | 'reward';

/** One change of a counter in the primary process. */
interface LimiterRequest {
  options: IRateLimiterOptions;
  change: Change;
  key: string;
  points: number;
}

interface LimiterResponse {
  admitted: boolean;
  remaining: number;
  msBeforeNext: number;
  consumed: number;
}

/** Counts in the primary process. While it does not respond, counts in the memory of this process. */
export class PrimaryLimiter extends MemoryLimiter {
  readonly #primary: Channel;
  readonly #options: IRateLimiterOptions;

  constructor(primary: Channel, options: IRateLimiterOptions) {
    super(options);
    this.#primary = primary;
    this.#options = options;
  }

  override consume(key: string, points = 1): Promise<RateLimiterRes> {
    return this.#change('consume', key, points, () => super.consume(key, points));
  }

  override reward(key: string, points = 1): Promise<RateLimiterRes> {
    return this.#change('reward', key, points, () => super.reward(key, points));
  }

  async #change(
    change: Change,
    key: string,
    points: number,
    inMemory: () => Promise<RateLimiterRes>,
  ): Promise<RateLimiterRes> {
    const request: LimiterRequest = { options: this.#options, change, key, points };
    let response: LimiterResponse;
    try {
      response = await this.#primary.request<LimiterResponse>('limit', request, COUNT_WITHIN_MS);
    } catch {
      return inMemory();
    }
    const { admitted, remaining, msBeforeNext, consumed } = response;
    const result = new RateLimiterRes(remaining, msBeforeNext, consumed, false);
    // This is how the library refuses.
    if (!admitted) throw result as unknown as Error;
    return result;
  }
}

/** Creates the request handler of the primary process, for the limiters of all processes. */
export function createLimiterHandler(): (request: LimiterRequest) => Promise<LimiterResponse> {
  const limiters = new Map<string, MemoryLimiter>();
  return async ({ options, change, key, points }) => {
    const name = options.keyPrefix!;
    let limiter = limiters.get(name);
    if (!limiter) limiters.set(name, (limiter = new MemoryLimiter(options)));
    const found = await limiter[change](key, points).then(
      (result) => ({ admitted: true, result }),
      (refused: unknown) => {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        return { admitted: false, result: refused };
      },
    );
    const { remainingPoints: remaining, msBeforeNext, consumedPoints: consumed } = found.result;
    return { admitted: found.admitted, remaining, msBeforeNext, consumed };
  };
}
