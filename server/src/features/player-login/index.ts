export { tokenProviders } from './identity.ts';
export { platforms } from './platforms.ts';
export { playerLoginRoutes } from './routes.ts';
export { tokenVerifier } from './verify-token.ts';
