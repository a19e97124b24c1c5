export { createFirstAccount } from './create-account.ts';
export { deleteExpiredAccountTokens } from './queries.ts';
export { accountSessionRoutes, ownAccountRoutes } from './routes.ts';
