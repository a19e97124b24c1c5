export { verifyStoreACallback, type StoreAServices } from './finish-store-a-login.ts';
export { createSession, type PortalTokens, type SessionServices } from './open-session.ts';
export { PORTAL } from './portal-home.ts';
export { deleteExpiredPortalRows, hasLinkedPlayer, revokePortalSessions } from './queries.ts';
export { portalSessionRoutes, storeAPortalRoutes } from './routes.ts';
export { createStoreAOpenId } from './store-a-openid.ts';
export { PortalTokens as PortalTokensShape } from './schemas.ts';
