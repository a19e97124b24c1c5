export { endPlayerSessions } from './end-sessions.ts';
export { loginRowHash, loginRowHashParts, type LoginDetails } from './login-row-hash.ts';
export { eraseAddresses } from './queries.ts';
export { logoutRoutes } from './routes.ts';
export { verifyLogins } from './verify-logins.ts';
