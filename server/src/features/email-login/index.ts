export { emailCodeRoutes } from './code-routes.ts';
export { openMailBudget } from './mail-limits.ts';
export { emailPasswordRoutes } from './password-routes.ts';
export { deleteExpiredCodesAndTokens, deletePendingCredentials } from './queries.ts';
export { mailReset, passwordResetQueue } from './request-reset.ts';
