export { foldUsage, type FoldServices } from './fold-usage.ts';
export { openUsageMeter, type UsageMeter } from './meter.ts';
export { usageRoutes } from './routes.ts';
