export { createRateLimits } from './create-rate-limits.ts';
export { createRateCounterHandler } from './primary-rate-counter.ts';
