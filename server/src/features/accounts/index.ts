export { createFirstAccount } from './create-account.ts';
export { deleteExpiredAccountTokens, isPlatformAdmin } from './queries.ts';
export { accountSessionRoutes, ownAccountRoutes } from './routes.ts';
