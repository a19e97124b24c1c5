export { emailCodeRoutes } from './code-routes.ts';
export { verifyCode, type ProvenAddress } from './exchange-code.ts';
export { openMailBudget } from './mail-limits.ts';
export { emailPasswordRoutes } from './password-routes.ts';
export {
  deleteCredentials,
  deleteExpiredCodesAndTokens,
  deletePendingCredentials,
  lockCredentials,
  moveCredentials,
} from './queries.ts';
export { mailReset, passwordResetQueue } from './request-reset.ts';
export { ExchangeBody } from './schemas.ts';
export { unlinkAddress } from './unlink-address.ts';
