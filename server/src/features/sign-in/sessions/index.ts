export { endPlayerSessions } from './end-sessions.ts';
export { loginRowHash, loginRowHashParts, type LoginDetails } from './login-row-hash.ts';
export { openLoginData, openLogoutMetadata, sealLoginData, type SealedRow } from './personal-data.ts';
export { eraseSessions, keySaltOf, type ErasedSessions } from './queries.ts';
export { logoutRoutes } from './routes.ts';
export { verifyLogins } from './verify-logins.ts';
