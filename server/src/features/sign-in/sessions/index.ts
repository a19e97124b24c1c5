export { loginRowHash, loginRowHashParts } from './login-row-hash.ts';
export { logoutReasons, type LogoutReason } from './logout-reasons.ts';
export { openLoginData, openLogoutMetadata, sealLoginData, type SealedRow } from './personal-data.ts';
export { endPlayerSessions, eraseSessions, keySaltOf, type LedgerPosition } from './queries.ts';
export { logoutRoutes } from './routes.ts';
export { requireAllowedPlayer, revokedSessionError } from './token-refusals.ts';
export { verifyLogins } from './verify-logins.ts';
