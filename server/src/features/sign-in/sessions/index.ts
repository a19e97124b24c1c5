export { endPlayerSessions } from './end-sessions.ts';
export { loginRowHash } from './login-row-hash.ts';
export { logoutRoutes } from './routes.ts';
export { verifyLogins } from './verify-logins.ts';
