export { createFirstAccount } from './create-account.ts';
export { accountSessionRoutes, ownAccountRoutes } from './routes.ts';
