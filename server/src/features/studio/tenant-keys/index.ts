export { openKeyAuthenticator, type KeyAuthenticator } from './authenticate-key.ts';
export { createOwnKey } from './create-key.ts';
export { tenantKeyRoutes } from './routes.ts';
