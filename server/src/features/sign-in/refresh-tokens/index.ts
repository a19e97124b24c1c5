export { logOutOwnedSession, refreshOwnedSession, type OwnedSessions } from './owned-sessions.ts';
export type { SessionTables } from './queries.ts';
export { exchangeRefreshToken, type RefreshRequest, type TokenUse } from './refresh-token-exchange.ts';
export { REFRESH_DESCRIPTION, refreshTokenField } from './schemas.ts';
