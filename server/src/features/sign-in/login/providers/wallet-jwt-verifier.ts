import { decodeProtectedHeader, errors, jwtVerify, type JWTPayload } from 'jose';
import type { OutboundClient } from '../../../../outbound/http-client.ts';
import { evmAddress } from '../../../../core/evm-address.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { isStorable } from '../../../../core/text.ts';
import { createTurns } from '../../../../core/concurrency/turns.ts';
import type { ProviderVerifier } from '../identity.ts';
import { createIssuerKeys } from './issuer-keys.ts';

interface WalletJwtSettings {
  issuer: string;
  /** A token needs one of them. */
  audience: string | string[];
  addressClaim?: string;
}

/** Only asymmetric signatures. With a shared secret, every verifier could also sign. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
/**
 * To verify a signature takes 0.3 to 2.2 ms of a core (P-256, P-521), in the threads that also hash passwords. So one of them is verified at
 * a time, and tenants take turns.
 */
const verifyInTurn = createTurns({
  running: 1,
  runningPerOwner: 1,
  waitingPerMember: 1_000,
  waitMs: 10_000,
});
/** The allowed difference between the issuer's clock and the server's. */
const CLOCK_TOLERANCE_SECONDS = 30;
/** The limit of OpenID Connect. */
const MAX_SUBJECT_LENGTH = 255;
const DEFAULT_ADDRESS_CLAIM = 'wallet_address';

/**
 * Verifies JWTs of a wallet's issuer. The issuer and the subject together identify a player. So a tenant that names its own issuer can
 * invent players of that issuer only.
 */
export function createWalletJwtVerifier(
  client: OutboundClient,
  config: { allowPrivateAddresses: boolean },
): ProviderVerifier<WalletJwtSettings> {
  const keys = createIssuerKeys(client, config);

  return async (settings, token, { tenantId }) => {
    const { issuer, audience, addressClaim = DEFAULT_ADDRESS_CLAIM } = settings;
    const claims = await verify(tenantId, token, issuer, audience);
    const { sub } = claims;
    if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH || !isStorable(sub))
      throw new ProblemError(
        'invalid_credentials',
        `The token’s sub is not a text of 1 to ${MAX_SUBJECT_LENGTH} characters.`,
      );
    const walletAddress = addressIn(claims, addressClaim);
    return { provider: 'WalletJwt', issuer, providerUserId: sub, ...(walletAddress && { walletAddress }) };
  };

  async function verify(
    tenantId: string,
    token: string,
    issuer: string,
    audience: string | string[],
  ): Promise<JWTPayload> {
    try {
      const header = decodeProtectedHeader(token);
      if (!ALGORITHMS.includes(header.alg!)) throw new errors.JOSEAlgNotAllowed();
      // The issuer may be slow, so the key is found before the turn.
      const key = await keys.find(tenantId, issuer, header);
      const { payload } = await verifyInTurn(tenantId, () =>
        jwtVerify(token, key, {
          algorithms: ALGORITHMS,
          issuer,
          audience,
          requiredClaims: ['sub', 'exp'],
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
        }),
      );
      return payload;
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      throw new ProblemError('invalid_credentials', reasonOf(error));
    }
  }
}

/** A reason that helps a studio fix its tokens. Claims are checked after the signature, so forged tokens disclose nothing. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `The token’s ${error.claim} is missing, or not the expected one.`;
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return 'The token does not name the key that signed it.';
  return 'The token is not signed by its issuer.';
}

/**
 * The wallet address from the claim, or from the subject if the claim is missing. The issuer asserts it without a proof. It
 * identifies nobody, so a malformed address does not refuse the token.
 */
function addressIn(claims: JWTPayload, addressClaim: string): string | undefined {
  const claimed = Object.hasOwn(claims, addressClaim) ? claims[addressClaim] : claims.sub;
  return typeof claimed === 'string' ? evmAddress(claimed) : undefined;
}
