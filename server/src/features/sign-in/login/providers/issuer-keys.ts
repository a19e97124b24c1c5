import type { webcrypto } from 'node:crypto';
import {
  createLocalJWKSet,
  errors,
  type CryptoKey,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from 'jose';
import { createLruCache } from '../../../../core/lru-cache.ts';
import type { OutboundClient } from '../../../../outbound/http-client.ts';
import {
  jsonObjectOf,
  notUnderstood,
  createOutboundProvider,
  type OutboundProvider,
} from '../../../../outbound/provider.ts';
import { tenantUrlError } from '../../../../outbound/tenant-url.ts';
import { ProblemError } from '../../../../core/problem.ts';

/** The public keys with which issuers sign tokens. */
interface IssuerKeys {
  /**
   * Finds the key that a token header names. Throws jose's errors if the issuer has no such key, provider_unavailable if the issuer
   * sends no usable response, and provider_not_available if the issuer's configuration contains another issuer name, or the key is too large.
   */
  find(tenantId: string, issuer: string, header: JWSHeaderParameters): Promise<CryptoKey>;
}

type KeySet = ReturnType<typeof createLocalJWKSet>;

interface CachedIssuer {
  name: string;
  provider: OutboundProvider;
  /** The current or last fetch. Its result is reused until `nextFetchAt`, in milliseconds of a monotonic clock. */
  fetch: Promise<KeySet> | undefined;
  nextFetchAt: number;
  keys: KeySet | undefined;
  fetchedAt: number;
}

const PROVIDER_NAME = 'The issuer of the token';

/** Keys are fetched again after an hour. If the issuer is unavailable, the cached keys stay valid for a day. */
const FRESH_MS = 60 * 60_000;
const USABLE_MS = 24 * 60 * 60_000;
/** The minimum interval between fetches. Without it, tokens that name unknown keys would cause a fetch each. */
const COOLDOWN_MS = 30_000;
/** The minimum interval for an issuer without cached keys. It is shorter, because nobody can sign in meanwhile. */
const RETRY_MS = 5000;
/** At most 64 MiB in total, because a tenant can create issuers with large key sets. Large issuers publish 2 to 30 KiB. */
const MAX_CACHED_ISSUERS = 1000;
const MAX_KEY_SET_LENGTH = 64 * 1024;
/**
 * To verify a signature with such a key takes at most 0.4 ms of a core. Without the limits, a tenant could publish a key of 16,384 bits with
 * an exponent of 64 bits. It takes 6 ms, in the threads that also hash passwords. Most exponents are 65,537.
 */
const MAX_RSA_BITS = 4096;
const MAX_RSA_EXPONENT_BYTES = 4;

/**
 * Fetches and caches the keys of issuers, separately for each tenant. So a failing issuer, or tokens that name unknown keys, cannot
 * delay the sign-ins of another tenant, even if both tenants use the same issuer.
 */
export function createIssuerKeys(
  client: OutboundClient,
  config: { allowPrivateAddresses: boolean },
  now = () => performance.now(),
): IssuerKeys {
  const issuers = createLruCache<string, CachedIssuer>(MAX_CACHED_ISSUERS);

  const addIssuer = (tenantId: string, name: string): CachedIssuer => {
    const provider = createOutboundProvider(PROVIDER_NAME, client, now);
    const issuer = { name, provider, fetch: undefined, nextFetchAt: 0, keys: undefined, fetchedAt: 0 };
    issuers.set(`${tenantId} ${name}`, issuer);
    return issuer;
  };

  /** Fetches the keys, or returns the result of a current or recent fetch. */
  const fetchKeys = (issuer: CachedIssuer): Promise<KeySet> => {
    if (issuer.fetch && now() < issuer.nextFetchAt) return issuer.fetch;
    issuer.nextFetchAt = Infinity;
    issuer.fetch = fetchKeySet(issuer, config)
      .then((keys) => {
        issuer.fetchedAt = now();
        return (issuer.keys = keys);
      })
      .finally(() => {
        issuer.nextFetchAt = now() + (issuer.keys ? COOLDOWN_MS : RETRY_MS);
      });
    return issuer.fetch;
  };

  const currentKeys = async (issuer: CachedIssuer): Promise<KeySet> => {
    const age = now() - issuer.fetchedAt;
    const { keys } = issuer;
    if (!keys || age >= USABLE_MS) return fetchKeys(issuer);
    return age < FRESH_MS ? keys : fetchKeys(issuer).catch(() => keys);
  };

  return {
    async find(tenantId, name, header) {
      const issuer = issuers.get(`${tenantId} ${name}`) ?? addIssuer(tenantId, name);
      const keys = await currentKeys(issuer);
      const key = await selectKey(keys, header).catch(rethrowUnlessNoMatch);
      return key ?? selectKey(await fetchKeys(issuer), header);
    },
  };
}

/** Fetches the key set from the issuer's `jwks_uri`. Without OpenID configuration, uses the usual path. */
async function fetchKeySet(
  { name, provider }: CachedIssuer,
  config: { allowPrivateAddresses: boolean },
): Promise<KeySet> {
  if (tenantUrlError(name, config))
    throw new ProblemError(
      'provider_not_available',
      'The issuer in the settings of this tenant is not a public https URL.',
    );
  const base = name.replace(/\/$/, '');
  const answer = await provider.ask(`${base}/.well-known/openid-configuration`);
  const configuration = answer.status === 200 ? jsonObjectOf(answer) : undefined;
  if (typeof configuration?.['issuer'] !== 'string')
    return fetchKeySetFrom(provider, `${base}/.well-known/jwks.json`);
  if (configuration['issuer'] !== name)
    throw new ProblemError(
      'provider_not_available',
      'The issuer in the settings of this tenant differs from the one in its openid-configuration. Copy the issuer from there.',
    );
  const { jwks_uri } = configuration;
  if (typeof jwks_uri !== 'string' || tenantUrlError(jwks_uri, config))
    throw notUnderstood(PROVIDER_NAME, answer);
  return fetchKeySetFrom(provider, jwks_uri);
}

async function fetchKeySetFrom(provider: OutboundProvider, url: string): Promise<KeySet> {
  const answer = await provider.ask(url);
  if (answer.status !== 200 || answer.text.length > MAX_KEY_SET_LENGTH)
    throw notUnderstood(PROVIDER_NAME, answer);
  try {
    const keySet = jsonObjectOf(answer) as unknown as JSONWebKeySet;
    // jose imports a private key before it refuses it, at each sign-in. With P-521, that takes 4 ms of the event loop.
    if (keySet.keys.some((key) => key.d !== undefined))
      throw new Error('The issuer publishes a private key.');
    return createLocalJWKSet(keySet);
  } catch {
    throw notUnderstood(PROVIDER_NAME, answer);
  }
}

/** The one key of a set that matches a token header. */
async function selectKey(keys: KeySet, header: JWSHeaderParameters): Promise<CryptoKey> {
  let key: CryptoKey;
  try {
    key = await keys(header);
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
      throw error;
    // The key set contains a malformed key.
    throw new ProblemError('provider_unavailable', `${PROVIDER_NAME} publishes a key that cannot be used.`, {
      cause: error,
    });
  }
  if (isTooLarge(key))
    throw new ProblemError(
      'provider_not_available',
      'The issuer in the settings of this tenant signs with an RSA key of more than 4,096 bits, or with an exponent of more than 32 bits. ' +
        'Sign tokens with a smaller key.',
    );
  return key;
}

function isTooLarge({ algorithm }: CryptoKey): boolean {
  if (!('modulusLength' in algorithm)) return false;
  const { modulusLength, publicExponent } = algorithm as webcrypto.RsaHashedKeyAlgorithm;
  return modulusLength > MAX_RSA_BITS || publicExponent.length > MAX_RSA_EXPONENT_BYTES;
}

function rethrowUnlessNoMatch(error: unknown): undefined {
  if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
}
