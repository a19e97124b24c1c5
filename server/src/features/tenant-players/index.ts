export { tenantPlayerRoutes } from './routes.ts';
