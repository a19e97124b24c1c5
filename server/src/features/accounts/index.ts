export { createAccount, createFirstAccount } from './create-account.ts';
export type { SignedIn } from './issue-tokens.ts';
export { checkPassword, type PasswordServices } from './log-in.ts';
export { openSession, type SessionServices } from './open-session.ts';
export {
  deleteExpiredAccountTokens,
  findAccount,
  findAccountByEmail,
  isPlatformAdmin,
  listEndedSessions,
  type Account,
} from './queries.ts';
export { accountSessionRoutes, ownAccountRoutes } from './routes.ts';
export { Membership, SignedIn as SignedInBody, SignUpBody } from './schemas.ts';
