export { aggregateUsage, type AggregationServices } from './aggregate-usage.ts';
export { openUsageMeter, type UsageMeter } from './meter.ts';
export { usageRoutes } from './routes.ts';
