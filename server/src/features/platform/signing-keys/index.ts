export { signingKeyRoutes } from './administration-routes.ts';
export { deleteRetiredKeys, listSigningKeys } from './queries.ts';
export { checkMasterKey } from './key-ring.ts';
export { RotationRefusedError, rotateKeys, type Rotation } from './rotate-keys.ts';
export { openTokenSigner, type AuthType, type TokenClaims, type TokenSigner } from './token-signer.ts';
