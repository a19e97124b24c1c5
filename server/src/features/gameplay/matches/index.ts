export { tenantMatchRoutes } from './administration-routes.ts';
export { findRoster } from './queries.ts';
export { matchRoutes } from './routes.ts';
