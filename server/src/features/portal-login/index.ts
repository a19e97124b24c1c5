export { verifyStoreACallback, type StoreAServices } from './finish-store-a-login.ts';
export { deleteExpiredPortalRows, revokePortalSessions } from './queries.ts';
export { portalSessionRoutes, storeAPortalRoutes } from './routes.ts';
export { openStoreAOpenId } from './store-a-openid.ts';
