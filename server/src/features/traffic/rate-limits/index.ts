export { createRateLimits } from './create-rate-limits.ts';
export { createRateCounterAnswers } from './primary-rate-counter.ts';
