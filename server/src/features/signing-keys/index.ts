export { openTokenSigner, type AuthType, type TokenClaims, type TokenSigner } from './token-signer.ts';
