export { createPortalSession, type PortalSessionServices } from './portal-sessions.ts';
export { createPortalStartBudget, verifyStoreACallback, type StoreAServices } from './store-a-login.ts';
export {
  deleteExpiredPortalRows,
  findLinkedPlayer,
  PORTAL_TENANT_ID,
  revokePortalSessions,
} from './queries.ts';
export { portalSessionRoutes, storeAPortalRoutes } from './routes.ts';
export { createStoreAOpenId } from './store-a-openid.ts';
export { PortalTokens } from './schemas.ts';
