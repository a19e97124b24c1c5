import { sign } from 'node:crypto';
import { errors, jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose';
import { createLruCache } from '../../../core/lru-cache.ts';
import { oneAtATime } from '../../../core/concurrency/one-at-a-time.ts';
import type { Log } from '../../../core/log.ts';
import type { ChangeFeed } from '../../../database/change-feed.ts';
import { lockUntilCommit } from '../../../database/advisory-locks.ts';
import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { countCache } from '../../../core/cache-counts.ts';
import { newId } from '../../../core/ids.ts';
import { now } from '../../../core/timestamps.ts';
import { ALGORITHM, generateSigningKey, readKeyRing, type KeyRing, type SigningKey } from './key-ring.ts';
import { insertSigningKey, listSigningKeys } from './queries.ts';

/** Verified tokens are cached, because a game client sends the same token with each request for 2 hours. */
const MAX_CACHED_TOKENS = 50_000;

/** How often the keys are reloaded if no notification arrives. A new key becomes active later than the next reload. */
const RELOAD_MS = 5 * 60_000;

/** How long a process waits after a reload that failed. It may have missed that a leaked key was revoked. */
const RETRY_MS = 1_000;

/** Tokens with an unknown key id reload the keys at most once per second, because anybody can forge such tokens. */
const UNKNOWN_KEY_RELOAD_MS = 1_000;

/** The maximum lifetime of a token. A key can retire this long after its successor started to sign. */
export const MAX_TOKEN_LIFETIME_SECONDS = 2 * 60 * 60;

/** The types of tokens. A token of one type is not accepted as another type. */
const authTypes = ['player', 'saas', 'assertion', 'wallet'] as const;
type AuthType = (typeof authTypes)[number];

export interface TokenClaims extends JWTPayload {
  auth_type: AuthType;
  sub: string;
  iat: number;
  exp: number;
}

interface SignerServices {
  database: Database;
  vault: Vault;
  changes: ChangeFeed;
  issuer: string;
  logger?: Log<'warn'>;
}

/** Signs and verifies tokens with the signing keys in the database. */
export interface TokenSigner {
  /** Returns a signed token with these claims. `lifetime` is in seconds. */
  sign(authType: AuthType, subject: string, claims: Record<string, unknown>, lifetime: number): string;
  /** Returns the claims of a valid token of this type. Returns undefined if the token is invalid, expired or of another type. */
  verify(authType: AuthType, token: string): Promise<TokenClaims | undefined>;
  /** Like {@link TokenSigner.verify}, but accepts all types. The caller must check `auth_type`. */
  identify(token: string): Promise<TokenClaims | undefined>;
  /** Returns the public keys that verify tokens. */
  publicKeys(): JSONWebKeySet;
  /** Stops reloading the keys. */
  close(): Promise<void>;
}

/** Loads the signing keys. Creates the first key if the database has none. Throws if the master key is not the right one. */
export async function openTokenSigner(
  { database, vault, changes, issuer, logger }: SignerServices,
  reloadMs = RELOAD_MS,
): Promise<TokenSigner> {
  await ensureSigningKey(database, vault);
  let keys!: KeyRing;
  const counts = countCache('tokens');
  const verified = createLruCache<string, { claims: TokenClaims; kid: string }>(MAX_CACHED_TOKENS);
  const read = async (): Promise<void> => {
    keys = await readKeyRing(database, vault);
  };

  // Reloads run one after another. A change that is notified during a reload can be missing from the rows of that reload.
  const first = read();
  let retry: NodeJS.Timeout | undefined;
  const readAgain = oneAtATime(() =>
    first.then(read).catch(() => {
      // If the database is unavailable, the loaded keys stay in use.
      clearTimeout(retry);
      retry = setTimeout(() => void reload(), RETRY_MS).unref();
    }),
  );
  let reloading = first;
  const reload = (): Promise<void> => (reloading = readAgain());
  // Before the first read ends: a change that is notified during this read can be missing from its rows too.
  changes.on('signing_keys', () => void reload());
  await first;
  const timer = setInterval(() => void reload(), reloadMs).unref();

  let lastUnknownKeyReload = -Infinity;
  let unknownKeyReload = Promise.resolve();
  const findKey = async (kid: string): Promise<SigningKey> => {
    if (!keys.find(kid)) {
      // Another process can sign with a new key before this process receives the notification.
      if (performance.now() - lastUnknownKeyReload >= UNKNOWN_KEY_RELOAD_MS) {
        lastUnknownKeyReload = performance.now();
        unknownKeyReload = reload();
      }
      await unknownKeyReload;
    }
    const key = keys.find(kid);
    if (!key) throw new Error('The token names an unknown signing key.');
    return key;
  };

  const identify = async (token: string): Promise<TokenClaims | undefined> => {
    const known = verified.get(token);
    // The token can have expired and its key can have retired since the token was cached.
    if (known) {
      counts.hits++;
      return isCurrent(known.claims) && keys.find(known.kid) ? known.claims : undefined;
    }
    counts.misses++;
    try {
      const { payload, protectedHeader } = await jwtVerify<TokenClaims>(
        token,
        async ({ kid }) => (await findKey(kid ?? '')).publicKey,
        { algorithms: [ALGORITHM], issuer, requiredClaims: ['sub', 'exp', 'iat', 'jti'] },
      );
      if (!authTypes.includes(payload.auth_type) || payload['scope'] !== payload.auth_type) return undefined;
      verified.set(token, { claims: payload, kid: protectedHeader.kid! });
      return payload;
    } catch (error) {
      // The signature is ours, so another process on this database has another address.
      if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'iss')
        logger?.warn(
          { setting: 'PUBLIC_URL', issuer: error.payload.iss },
          'A token was refused, because its issuer is not the PUBLIC_URL of this process. Set the same PUBLIC_URL for all processes. ' +
            'After a change of PUBLIC_URL, old tokens are refused for 2 hours',
        );
      return undefined;
    }
  };

  return {
    sign(authType, subject, claims, lifetime) {
      if (lifetime > MAX_TOKEN_LIFETIME_SECONDS)
        throw new RangeError(
          `A token lifetime of ${lifetime} seconds is above the maximum of ${MAX_TOKEN_LIFETIME_SECONDS} seconds.`,
        );
      const iat = Math.floor(Date.now() / 1000);
      const registered = {
        auth_type: authType,
        scope: authType,
        iss: issuer,
        sub: subject,
        iat,
        exp: iat + lifetime,
        jti: newId(),
      };
      return signJwt(keys.signing(), { ...claims, ...registered });
    },

    async verify(authType, token) {
      const claims = await identify(token);
      return claims?.auth_type === authType ? claims : undefined;
    },

    identify,

    publicKeys: () => keys.published(),

    async close() {
      clearInterval(timer);
      await reloading;
      clearTimeout(retry);
    },
  };
}

/**
 * Returns the claims as a compact JWS. It does not use jose, which signs with WebCrypto on another thread: the thread switch
 * costs three times as much as the signature, which takes 25 µs.
 */
function signJwt({ header, privateKey }: SigningKey, claims: JWTPayload): string {
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

function isCurrent({ exp }: TokenClaims): boolean {
  return exp > Date.now() / 1000;
}

async function ensureSigningKey(database: Database, vault: Vault): Promise<void> {
  if ((await listSigningKeys(database)).length > 0) return;
  await database.transaction(async (transaction) => {
    await lockUntilCommit(transaction, 'signingKeys');
    if ((await listSigningKeys(transaction)).length === 0)
      await insertSigningKey(transaction, await generateSigningKey(vault, now()));
  });
}
