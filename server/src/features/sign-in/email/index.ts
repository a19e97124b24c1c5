export { unlinkAddress } from './address-ownership.ts';
export { deleteExpiredCodesAndTokens, findCodeAddress } from './code-queries.ts';
export { emailCodeRoutes, type EmailLoginServices } from './code-routes.ts';
export {
  deletePendingCredentials,
  lockCredentials,
  lockPlayer,
  moveCredentials,
  releaseAddresses,
} from './credential-queries.ts';
export { createMailBudget } from './mail-limits.ts';
export { listAuditedTenants } from './notice-queries.ts';
export { mailChange, notifyChange } from './notify-change.ts';
export { mailReset, passwordResetQueue } from './password-reset.ts';
export { emailPasswordRoutes, emailVerificationRoutes } from './password-routes.ts';
export { mailPortalCode, portalCodeQueue, verifyPortalCode } from './portal-codes.ts';
export type { CheckCodeServices } from './one-time-codes.ts';
export { emailPortalRoutes } from './portal-routes.ts';
export { CodeLoginRequest } from './schemas.ts';
export { exchangeCode, sendCode, verifyCode, type ProvenAddress } from './tenant-codes.ts';
