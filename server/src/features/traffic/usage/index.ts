export { aggregateUsage } from './aggregate-usage.ts';
export { openUsageMeter } from './meter.ts';
export { usageRoutes } from './routes.ts';
export { warnOfPlan } from './warn-of-usage.ts';
