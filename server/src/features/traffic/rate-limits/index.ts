export { createRateLimits } from './create-rate-limits.ts';
export type { KeylessLimits } from './keyless-limits.ts';
export { createRateCounterHandler } from './primary-rate-counter.ts';
