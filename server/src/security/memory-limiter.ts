import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { createLruCache } from '../core/lru-cache.ts';

/** Counters in each half of a limiter. A limiter with all of them takes 24 MB. */
export const MAX_COUNTERS = 50_000;

interface Counter {
  count: number;
  endsAtMs: number;
}

/**
 * Counts in the memory of this process, with a fixed window. Counters with less than half of the points used, and the others, are
 * limited separately. Each half evicts the counter that was used least recently.
 *
 * So new keys, which cost an attacker one request each, do not evict a counter that is half used or exhausted. To evict that one, the
 * attacker must use up half of the points of MAX_COUNTERS other keys. And these do not evict the counters of new keys.
 */
export class MemoryLimiter extends RateLimiterMemory {
  readonly #low = createLruCache<string, Counter>(MAX_COUNTERS);
  readonly #high = createLruCache<string, Counter>(MAX_COUNTERS);

  override async consume(key: string, points = 1): Promise<RateLimiterRes> {
    const result = this.#add(key, points);
    if (result.consumedPoints <= this.points) return result;
    this.#add(key, -points);
    // This is how the library refuses.
    throw result as unknown as Error;
  }

  override async reward(key: string, points = 1): Promise<RateLimiterRes> {
    return this.#add(key, -points);
  }

  #add(key: string, points: number): RateLimiterRes {
    // In whole milliseconds, because the difference of rounded fractions can be longer than the window.
    const nowMs = Math.floor(performance.now());
    const known = this.#low.get(key) ?? this.#high.get(key);
    const isOpen = known !== undefined && known.endsAtMs > nowMs;
    const counter = isOpen ? known : { count: 0, endsAtMs: nowMs + this.duration * 1000 };
    counter.count = Math.max(0, counter.count + points);
    const [half, other] = counter.count * 2 < this.points ? [this.#low, this.#high] : [this.#high, this.#low];
    other.delete(key);
    half.set(key, counter);
    const remaining = Math.max(0, this.points - counter.count);
    return new RateLimiterRes(remaining, counter.endsAtMs - nowMs, counter.count, !isOpen);
  }
}
