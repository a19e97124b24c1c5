export { createFirstAccount } from './create-account.ts';
export { accountSessionRoutes, ownAccountRoutes } from './routes.ts';
export { deleteExpiredSessions } from './queries.ts';
export type { Account } from './queries.ts';
