export { openRateLimits } from './limit-keys.ts';
