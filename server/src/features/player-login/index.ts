export { tokenProviders, type Identity } from './identity.ts';
export { platformDisplayName, platforms, type Platform } from './platforms.ts';
export { playerLoginRoutes } from './routes.ts';
export { creationFields, deviceFields, signInFields } from './schemas.ts';
export { signIn, type LoginResult, type SignInRequest, type SignInServices } from './sign-in.ts';
export { tokenVerifier } from './verify-token.ts';
