import { sign } from 'node:crypto';
import { jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import type { ChangeFeed } from '../../../database/change-feed.ts';
import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { newId } from '../../../core/ids.ts';
import { now } from '../../../core/timestamps.ts';
import { ALGORITHM, makeKey, readKeyRing, type SigningKey } from './key-ring.ts';
import { insertSigningKey, listSigningKeys, lockSigningKeys } from './queries.ts';

/** A game's players send the same token with every batch for two hours: it is verified once, and then remembered. */
const REMEMBERED_TOKENS = 50_000;

/** The keys are read again this often in case that a change was never told. A key waits longer than that before it signs. */
const REREAD_MS = 5 * 60_000;

/** How often at most a token of an unknown key makes us look whether there is a new one: anybody can invent such tokens. */
const UNKNOWN_KEY_MS = 1_000;

/** No token lives longer: so a key can retire this long after its successor has begun to sign. */
export const LONGEST_LIFETIME_SECONDS = 2 * 60 * 60;

/** Who a token speaks for, and what it may be used as. Tokens of one kind are not accepted as another. */
const authTypes = ['player', 'saas', 'assertion', 'wallet'] as const;
export type AuthType = (typeof authTypes)[number];

export interface TokenClaims extends JWTPayload {
  auth_type: AuthType;
  sub: string;
  iat: number;
  exp: number;
}

/** Signs and verifies the tokens of the deployment with the keys in the database. */
export interface TokenSigner {
  /** A signed token with these claims, issued now. `lifetime` is in seconds. */
  sign(authType: AuthType, subject: string, claims: Record<string, unknown>, lifetime: number): string;
  /** The claims of a token of this kind that is ours and has not expired; undefined for any other text. */
  verify(authType: AuthType, token: string): Promise<TokenClaims | undefined>;
  /** As {@link TokenSigner.verify}, for a token of any kind: whoever asks must look at `auth_type`. */
  identify(token: string): Promise<TokenClaims | undefined>;
  /** The public keys, for others to verify tokens with. */
  publicKeys(): JSONWebKeySet;
  /** Ends the reading of the keys. */
  close(): Promise<void>;
}

/** Loads the signing keys, making the first one in an empty database. Throws where the master key is another's. */
export async function openTokenSigner(
  database: Database,
  vault: Vault,
  changes: ChangeFeed,
  issuer: string,
  { rereadMs = REREAD_MS } = {},
): Promise<TokenSigner> {
  await ensureSigningKey(database, vault);
  let keys = await readKeyRing(database, vault);
  const verified = new LRUCache<string, { claims: TokenClaims; kid: string }>({ max: REMEMBERED_TOKENS });

  // One after the other: a change that is told while we read may have come too late for that reading.
  let reading = Promise.resolve();
  const reread = (): Promise<void> => {
    reading = reading.then(async () => {
      keys = await readKeyRing(database, vault);
    });
    // The database is away: the keys at hand stay good, and the feed tells again when it is back.
    reading = reading.catch(() => {});
    return reading;
  };
  changes.on('signing_keys', () => void reread());
  const timer = setInterval(() => void reread(), rereadMs).unref();

  let lookedAt = 0;
  let looking = Promise.resolve();
  const findKey = async (kid: string): Promise<SigningKey> => {
    if (!keys.find(kid)) {
      // We may not have been told yet of a key that another process has signed with.
      if (Date.now() - lookedAt >= UNKNOWN_KEY_MS) {
        lookedAt = Date.now();
        looking = reread();
      }
      await looking;
    }
    const key = keys.find(kid);
    if (!key) throw new Error('The token is of no key of ours.');
    return key;
  };

  const identify = async (token: string): Promise<TokenClaims | undefined> => {
    const known = verified.get(token);
    // Its key may have retired since, by the clock or because somebody took it back.
    if (known) return isCurrent(known.claims) && keys.find(known.kid) ? known.claims : undefined;
    try {
      const { payload, protectedHeader } = await jwtVerify<TokenClaims>(
        token,
        async ({ kid }) => (await findKey(kid ?? '')).publicKey,
        { algorithms: [ALGORITHM], issuer, requiredClaims: ['sub', 'exp', 'iat', 'jti'] },
      );
      if (!authTypes.includes(payload.auth_type) || payload['scope'] !== payload.auth_type) return undefined;
      verified.set(token, { claims: payload, kid: protectedHeader.kid! });
      return payload;
    } catch {
      return undefined;
    }
  };

  return {
    sign(authType, subject, claims, lifetime) {
      if (lifetime > LONGEST_LIFETIME_SECONDS)
        throw new RangeError(`A token cannot live ${lifetime} seconds.`);
      const iat = Math.floor(Date.now() / 1000);
      const own = {
        auth_type: authType,
        scope: authType,
        iss: issuer,
        sub: subject,
        iat,
        exp: iat + lifetime,
        jti: newId(),
      };
      return signJwt(keys.signing(), { ...claims, ...own });
    },

    async verify(authType, token) {
      const claims = await identify(token);
      return claims?.auth_type === authType ? claims : undefined;
    },

    identify,

    publicKeys: () => keys.published(),

    async close() {
      clearInterval(timer);
      await reading;
    },
  };
}

/**
 * A compact JWS of the claims. jose signs by WebCrypto, on another thread: to wake that costs three times the signature
 * itself, which takes 25 µs here, and a sign-in is not worth a thread of its own.
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
    await lockSigningKeys(transaction);
    if ((await listSigningKeys(transaction)).length === 0)
      await insertSigningKey(transaction, await makeKey(vault, now()));
  });
}
