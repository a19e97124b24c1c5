import type { BearerCaller } from '../../../core/callers.ts';
import { isOpaqueToken } from '../../../security/opaque-tokens.ts';
import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import { playerOfClaims } from '../tokens/index.ts';
import { assertionOf } from './sign-assertion.ts';

/** Identifies the kind and content of a bearer token. Undefined if this deployment did not issue it. */
export async function identifyBearer(signer: TokenSigner, token: string): Promise<BearerCaller | undefined> {
  if (isOpaqueToken('thirdparty', token)) return { kind: 'third_party', refreshToken: token };
  const claims = await signer.identify(token);
  if (!claims) return undefined;
  if (claims.auth_type === 'player') return { kind: 'player', ...playerOfClaims(claims) };
  return claims.auth_type === 'assertion' ? assertionOf(claims) : { kind: 'other' };
}
