export { loginRowHash, loginRowHashParts } from './login-row-hash.ts';
export { logoutReasons, type LogoutReason } from './logout-reasons.ts';
export { openLoginData, openLogoutMetadata, sealLoginData, type SealedRow } from './personal-data.ts';
export { endPlayerSessions, eraseSessions, keySaltOf, type LedgerPosition } from './queries.ts';
export { revokedSessionError } from './revoked-session.ts';
export { logoutRoutes } from './routes.ts';
export { verifyLogins } from './verify-logins.ts';
