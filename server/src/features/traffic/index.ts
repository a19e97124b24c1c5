import { behind, job } from '../feature-group.ts';
import { alertQueue, alertRoutes, dispatchAlert } from './alerts/index.ts';
import { usageRoutes } from './usage/index.ts';

/** The traffic of keys: rate limits, usage with quotas, and alerts. */
export const traffic = {
  routes: [behind('account', usageRoutes, alertRoutes)],
  jobs: [job(alertQueue, dispatchAlert)],
};
