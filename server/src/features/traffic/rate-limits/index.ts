export { createRateLimits } from './limit-keys.ts';
