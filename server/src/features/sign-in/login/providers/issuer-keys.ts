import { createLocalJWKSet, errors, type CryptoKey, type JWSHeaderParameters } from 'jose';
import { LRUCache } from 'lru-cache';
import type { OutboundClient } from '../../../../outbound/http-client.ts';
import {
  jsonObjectOf,
  notUnderstood,
  createOutboundProvider,
  type OutboundProvider,
} from '../../../../outbound/provider.ts';
import { tenantUrlError } from '../../../../outbound/tenant-url.ts';
import { ProblemError } from '../../../../core/problem.ts';

/** The keys by which issuers sign their tokens, read from the issuers themselves. */
export interface IssuerKeys {
  /**
   * The key that the header of a token names. Throws jose's errors where the issuer has no such key, provider_unavailable
   * where it does not tell, and provider_not_available where it calls itself something else.
   */
  find(tenantId: string, issuer: string, header: JWSHeaderParameters): Promise<CryptoKey>;
}

type KeySet = ReturnType<typeof createLocalJWKSet>;

interface KnownIssuer {
  name: string;
  provider: OutboundProvider;
  /** The running reading or the last one, whose outcome stands until `restsUntil`. */
  reading: Promise<KeySet> | undefined;
  restsUntil: number;
  keys: KeySet | undefined;
  readAt: number;
}

const CALLED = 'The issuer of the token';

/** After an hour keys are read again; while the issuer is away the old ones serve for a day. */
const FRESH_MS = 60 * 60_000;
const USABLE_MS = 24 * 60 * 60_000;
/** Anybody can name a key that does not exist: that makes us read again this often at most. */
const COOLDOWN_MS = 30_000;
/** The same for an issuer that has given no keys yet, and so lets nobody sign in. */
const RETRY_MS = 5000;
/** 64 MiB in all, as a tenant can make up issuers with key sets of any size. The great ones publish 2 to 30 KiB. */
const REMEMBERED_ISSUERS = 1000;
const LARGEST_KEY_SET = 64 * 1024;

/**
 * Reads the keys of issuers and caches them, for each tenant by itself. So neither a failing issuer nor tokens that name unknown
 * keys delay the sign-ins of another tenant, also of one with the same issuer.
 */
export function createIssuerKeys(
  client: OutboundClient,
  config: { allowPrivateAddresses: boolean },
): IssuerKeys {
  const issuers = new LRUCache<string, KnownIssuer>({ max: REMEMBERED_ISSUERS });

  const know = (tenantId: string, name: string): KnownIssuer => {
    const provider = createOutboundProvider(CALLED, client);
    const known = { name, provider, reading: undefined, restsUntil: 0, keys: undefined, readAt: 0 };
    issuers.set(`${tenantId} ${name}`, known);
    return known;
  };

  /** Reads the keys, or joins who does. Where that was lately, its outcome still stands. */
  const read = (issuer: KnownIssuer): Promise<KeySet> => {
    if (issuer.reading && Date.now() < issuer.restsUntil) return issuer.reading;
    issuer.restsUntil = Infinity;
    issuer.reading = readKeySet(issuer, config)
      .then((keys) => {
        issuer.readAt = Date.now();
        return (issuer.keys = keys);
      })
      .finally(() => {
        issuer.restsUntil = Date.now() + (issuer.keys ? COOLDOWN_MS : RETRY_MS);
      });
    return issuer.reading;
  };

  const currentKeys = async (issuer: KnownIssuer): Promise<KeySet> => {
    const age = Date.now() - issuer.readAt;
    const { keys } = issuer;
    if (!keys || age >= USABLE_MS) return read(issuer);
    return age < FRESH_MS ? keys : read(issuer).catch(() => keys);
  };

  return {
    async find(tenantId, name, header) {
      const issuer = issuers.get(`${tenantId} ${name}`) ?? know(tenantId, name);
      const keys = await currentKeys(issuer);
      const key = await keyOf(keys, header).catch(unlessUnknown);
      return key ?? keyOf(await read(issuer), header);
    },
  };
}

/** Where an issuer says that its keys are, or else where most keep them. */
async function readKeySet(
  { name, provider }: KnownIssuer,
  config: { allowPrivateAddresses: boolean },
): Promise<KeySet> {
  if (tenantUrlError(name, config))
    throw new ProblemError(
      'provider_not_available',
      'The issuer in the settings of this tenant is not a public https address.',
    );
  const base = name.replace(/\/$/, '');
  const answer = await provider.ask(`${base}/.well-known/openid-configuration`);
  const configuration = answer.status === 200 ? jsonObjectOf(answer) : undefined;
  if (typeof configuration?.['issuer'] !== 'string')
    return parseKeySet(provider, `${base}/.well-known/jwks.json`);
  if (configuration['issuer'] !== name)
    throw new ProblemError(
      'provider_not_available',
      'The issuer in the settings of this tenant differs from the one in its openid-configuration. Copy the issuer from there.',
    );
  const { jwks_uri } = configuration;
  if (typeof jwks_uri !== 'string' || tenantUrlError(jwks_uri, config)) throw notUnderstood(CALLED, answer);
  return parseKeySet(provider, jwks_uri);
}

async function parseKeySet(provider: OutboundProvider, url: string): Promise<KeySet> {
  const answer = await provider.ask(url);
  if (answer.status !== 200 || answer.text.length > LARGEST_KEY_SET) throw notUnderstood(CALLED, answer);
  try {
    return createLocalJWKSet(jsonObjectOf(answer) as never);
  } catch {
    throw notUnderstood(CALLED, answer);
  }
}

/** The one key of a set that a header fits. */
async function keyOf(keys: KeySet, header: JWSHeaderParameters): Promise<CryptoKey> {
  try {
    return await keys(header);
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
      throw error;
    // A key that cannot be one, whatever it says of itself.
    throw new ProblemError('provider_unavailable', `${CALLED} publishes a key that cannot be used.`, {
      cause: error,
    });
  }
}

function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
}
