export { tokenProviders } from './identity.ts';
export { platformDisplayName, platforms, type Platform } from './platforms.ts';
export { playerLoginRoutes } from './routes.ts';
export { tokenVerifier } from './verify-token.ts';
