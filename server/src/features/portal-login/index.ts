export { deleteExpiredPortalRows } from './queries.ts';
export { portalSessionRoutes, storeAPortalRoutes } from './routes.ts';
export { openStoreAOpenId } from './store-a-openid.ts';
