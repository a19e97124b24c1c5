export { emailCodeRoutes, type EmailLoginServices } from './code-routes.ts';
export { exchangeCode } from './exchange-code.ts';
export { NOTICES, createMailBudget, spendNotice } from './mail-limits.ts';
export { emailPasswordRoutes } from './password-routes.ts';
export { emailPortalRoutes } from './portal-routes.ts';
export {
  deleteCredentials,
  deleteExpiredCodesAndTokens,
  deletePendingCredentials,
  hasCode,
  listVerifiedAddresses,
  lockCredentials,
  moveCredentials,
} from './queries.ts';
export { mailReset, passwordResetQueue } from './request-reset.ts';
export { ExchangeBody } from './schemas.ts';
export { sendCode } from './send-code.ts';
export { mailPortalCode, portalCodeQueue } from './send-portal-code.ts';
export { unlinkAddress } from './unlink-address.ts';
export { verifyCode, type ProvenAddress } from './verify-code.ts';
export { verifyPortalCode } from './verify-portal-code.ts';
