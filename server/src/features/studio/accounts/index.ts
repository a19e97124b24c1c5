export { createAccount, createFirstAdmin } from './create-account.ts';
export { checkPassword, type PasswordServices } from './log-in.ts';
export { createAccountMailBudget } from './mailed-token.ts';
export { createSignInLink } from './sign-in-link.ts';
export { createSession, type SessionServices, type SignedIn } from './sessions.ts';
export {
  deleteExpiredAccountTokens,
  findAccount,
  findAccountByEmail,
  hasAccounts,
  hasPlatformAdmin,
  isPlatformAdmin,
  markVerified,
  lockAccount,
  type Account,
  type AccountWithPassword,
} from './queries.ts';
export { listEndedSessions } from './session-queries.ts';
export { promoteByOperator, resetByOperator } from './operator-commands.ts';
export { ownAccountRoutes } from './own-account-routes.ts';
export { accountMailRoutes } from './mailed-token-routes.ts';
export { accountResetQueue, mailAccountReset } from './reset-password.ts';
export { accountSessionRoutes } from './session-routes.ts';
export { secondFactorRoutes, totpRoutes } from './totp-routes.ts';
export { AccountTokens } from './schemas.ts';
