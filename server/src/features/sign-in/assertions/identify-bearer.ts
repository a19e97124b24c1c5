import type { BearerCaller, PlayerCaller } from '../../../core/callers.ts';
import { isOpaqueToken } from '../../../security/opaque-tokens.ts';
import type { TokenClaims, TokenSigner } from '../../platform/signing-keys/index.ts';

/** Identifies the kind and content of a bearer token. Undefined if this deployment did not issue it. */
export async function identifyBearer(signer: TokenSigner, token: string): Promise<BearerCaller | undefined> {
  if (isOpaqueToken('thirdparty', token)) return { kind: 'third_party', refreshToken: token };
  const claims = await signer.identify(token);
  if (!claims) return undefined;
  if (claims.auth_type === 'player') return { kind: 'player', ...playerOfClaims(claims) };
  return claims.auth_type === 'assertion' ? assertionOf(claims) : { kind: 'other' };
}

/** The player of the claims of an access token. */
export function playerOfClaims({ sub: playerId, exp, ...claims }: TokenClaims): PlayerCaller {
  return {
    playerId,
    tenantId: claims['tid'] as string | null,
    sessionId: claims['sid'] as string | null,
    expiresAtMs: exp * 1000,
  };
}

/** Undefined if the token has not exactly one audience, because such assertions are never issued. */
function assertionOf({ sub, aud, iat, exp, ...claims }: TokenClaims): BearerCaller | undefined {
  if (typeof aud !== 'string') return undefined;
  return {
    kind: 'assertion',
    playerId: sub,
    tenantId: claims['tid'] as string,
    sessionId: claims['sid'] as string,
    audience: aud,
    displayName: claims['name'] as string | undefined,
    email: claims['email'] as string | undefined,
    issuedAt: new Date(iat * 1000).toISOString(),
    expiresAt: new Date(exp * 1000).toISOString(),
  };
}
