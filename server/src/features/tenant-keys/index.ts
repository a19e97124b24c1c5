export { openKeyAuthenticator, type KeyAuthenticator } from './authenticate-key.ts';
export { createKey } from './create-key.ts';
export { tenantKeyRoutes } from './routes.ts';
