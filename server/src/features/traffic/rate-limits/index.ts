export { createRateLimits } from './create-rate-limits.ts';
