export { describeSigningKeys } from './administer-keys.ts';
export { signingKeyRoutes } from './administration-routes.ts';
export { deleteRetiredKeys, listSigningKeys } from './queries.ts';
export { checkMasterKey } from './key-ring.ts';
export { MAX_ACTIVATION_SECONDS, rotateKeys } from './rotate-keys.ts';
export { openTokenSigner, type TokenClaims, type TokenSigner } from './token-signer.ts';
