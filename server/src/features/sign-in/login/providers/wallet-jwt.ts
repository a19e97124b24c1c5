import { errors, jwtVerify, type JWTPayload } from 'jose';
import type { OutboundClient } from '../../../../outbound/http-client.ts';
import { evmAddress } from '../../../../core/evm-address.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { isStorable } from '../../../../core/text.ts';
import type { Identity, TenantOfToken } from '../identity.ts';
import { createIssuerKeys } from './issuer-keys.ts';

interface WalletJwtSettings {
  issuer: string;
  audience: string;
  addressClaim?: string;
}

/** Signatures by a key pair alone: with a shared secret, whoever verifies could also sign. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
/** How far the clocks of an issuer and ours may differ. */
const CLOCK_TOLERANCE_SECONDS = 30;
/** As OpenID Connect bounds it. */
const LONGEST_SUBJECT = 255;
const DEFAULT_ADDRESS_CLAIM = 'wallet_address';

/**
 * Verifies JWTs that a wallet's issuer has signed. A player is the pair of issuer and subject: so a tenant that names an
 * issuer of its own can make up players of that issuer, and of no other.
 */
export function createWalletJwtVerifier(client: OutboundClient, config: { allowPrivateAddresses: boolean }) {
  const keys = createIssuerKeys(client, config);

  return async (
    settings: WalletJwtSettings,
    token: string,
    { tenantId }: TenantOfToken,
  ): Promise<Identity> => {
    const { issuer, audience, addressClaim = DEFAULT_ADDRESS_CLAIM } = settings;
    const claims = await verify(tenantId, token, issuer, audience);
    const { sub } = claims;
    if (typeof sub !== 'string' || sub === '' || sub.length > LONGEST_SUBJECT || !isStorable(sub))
      throw new ProblemError(
        'invalid_credentials',
        `The token’s sub is not a text of 1 to ${LONGEST_SUBJECT} characters.`,
      );
    const walletAddress = addressIn(claims, addressClaim);
    return { provider: 'WalletJwt', issuer, providerUserId: sub, ...(walletAddress && { walletAddress }) };
  };

  async function verify(
    tenantId: string,
    token: string,
    issuer: string,
    audience: string,
  ): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, (header) => keys.find(tenantId, issuer, header), {
        algorithms: ALGORITHMS,
        issuer,
        audience,
        requiredClaims: ['sub', 'exp'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });
      return payload;
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      throw new ProblemError('invalid_credentials', reasonOf(error));
    }
  }
}

/** What a studio needs to know to mend it. Claims are looked at once the signature is good, so this tells no stranger anything. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `The token’s ${error.claim} is missing, or not the expected one.`;
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return 'The token does not say which key has signed it.';
  return 'The token is not signed by its issuer.';
}

/**
 * The wallet's address, where the claim holds one, or else the subject is one. Only told by the issuer, not proven: it
 * identifies nobody, so a claim that holds something else is no reason to refuse.
 */
function addressIn(claims: JWTPayload, addressClaim: string): string | undefined {
  const claimed = Object.hasOwn(claims, addressClaim) ? claims[addressClaim] : claims.sub;
  return typeof claimed === 'string' ? evmAddress(claimed) : undefined;
}
