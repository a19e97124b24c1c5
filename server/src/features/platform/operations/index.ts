export { operationsAdministrationRoutes } from './administration-routes.ts';
export { operationsRoutes } from './routes.ts';
