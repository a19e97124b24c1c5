export { banFingerprint } from './ban-fingerprint.ts';
export {
  type TenantOfToken,
  hasSecret,
  tokenProviders,
  type Identity,
  type TokenProvider,
} from './identity.ts';
export { isBanned } from './is-banned.ts';
export { platformDisplayName, platforms, type Platform } from './platforms.ts';
export { playerLoginRoutes } from './routes.ts';
export { creationFields, deviceFields, signInFields } from './schemas.ts';
export { signIn, type LoginResult, type SignInRequest, type SignInServices } from './sign-in.ts';
export { tokenVerifier, type VerifyToken } from './verify-token.ts';
