export { banFingerprint, isBanned, playerBanned } from './bans.ts';
export {
  type TokenSource,
  hasSecret,
  tokenProviders,
  type Identity,
  type TokenProvider,
} from './identity.ts';
export { reasonOfBan } from './queries.ts';
export { platforms, withPlatformName, type Platform } from './platforms.ts';
export { playerLoginRoutes } from './routes.ts';
export { creationFields, deviceFields, platformFields, signInFields } from './schemas.ts';
export { createLoginBatchers } from './login-batchers.ts';
export { toSignInRequest, type SignInRequest } from './sign-in-request.ts';
export { signIn, type SignInServices } from './sign-in.ts';
export { createTokenVerifier, type VerifyToken } from './verify-token.ts';
