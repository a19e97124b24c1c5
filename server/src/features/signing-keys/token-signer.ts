import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import {
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  jwtVerify,
  type JSONWebKeySet,
  type JWK,
  type JWTPayload,
} from 'jose';
import { LRUCache } from 'lru-cache';
import type { ChangeFeed } from '../../database/change-feed.ts';
import type { Database } from '../../database/database.ts';
import { WrongMasterKey, type Vault } from '../../security/vault.ts';
import { newId } from '../../shared/ids.ts';
import { now } from '../../shared/timestamps.ts';
import { insertSigningKey, listSigningKeys, lockSigningKeys, type SigningKeyRow } from './queries.ts';

/** Every game engine's JWT library knows it; it signs in 25 µs and verifies in 50 µs here. */
const ALGORITHM = 'ES256';
const PURPOSE = 'signing key';

/** A game's players send the same token with every batch for two hours: it is verified once, and then remembered. */
const REMEMBERED_TOKENS = 50_000;

/** Who a token speaks for, and what it may be used as. Tokens of one kind are not accepted as another. */
export type AuthType = 'player' | 'saas';

export interface TokenClaims extends JWTPayload {
  auth_type: AuthType;
}

/** Signs and verifies the access tokens of the deployment with the keys in the database. */
export interface TokenSigner {
  /** A signed token with these claims, issued now. `lifetime` is in seconds. */
  sign(authType: AuthType, subject: string, claims: Record<string, unknown>, lifetime: number): string;
  /** The claims of a token of this kind that is ours and has not expired; undefined for any other text. */
  verify(authType: AuthType, token: string): Promise<TokenClaims | undefined>;
  /** The public keys, for others to verify tokens with. */
  publicKeys(): JSONWebKeySet;
}

interface LoadedKeys {
  /** The encoded header of the tokens that are signed now. */
  header: string;
  privateKey: KeyObject;
  published: JSONWebKeySet;
  find: ReturnType<typeof createLocalJWKSet>;
}

/** Loads the signing keys, making the first one in an empty database. Throws where the master key is another's. */
export async function openTokenSigner(
  database: Database,
  vault: Vault,
  changes: ChangeFeed,
  issuer: string,
): Promise<TokenSigner> {
  await ensureSigningKey(database, vault);
  let keys = await load(database, vault);
  const verified = new LRUCache<string, TokenClaims>({ max: REMEMBERED_TOKENS });
  let reloading = Promise.resolve();
  changes.on('signing_keys', () => {
    reloading = reloading.then(async () => {
      keys = await load(database, vault);
      verified.clear();
    });
    // The database is away: the keys at hand stay good, and the feed tells again when it is back.
    reloading = reloading.catch(() => {});
  });

  return {
    sign(authType, subject, claims, lifetime) {
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
      return signJwt(keys, { ...claims, ...own });
    },

    async verify(authType, token) {
      const known = verified.get(token);
      if (known) return isCurrent(known) && known.auth_type === authType ? known : undefined;
      const current = keys;
      try {
        const { payload } = await jwtVerify<TokenClaims>(token, current.find, {
          algorithms: [ALGORITHM],
          issuer,
          requiredClaims: ['sub', 'exp', 'iat', 'jti'],
        });
        if (payload.auth_type !== authType || payload['scope'] !== authType) return undefined;
        // Keys that were read again meanwhile may have done away with this token's.
        if (current === keys) verified.set(token, payload);
        return payload;
      } catch {
        return undefined;
      }
    },

    publicKeys: () => keys.published,
  };
}

/**
 * A compact JWS of the claims. jose signs by WebCrypto, on another thread: to wake that costs three times the signature
 * itself, which takes 25 µs here, and a sign-in is not worth a thread of its own.
 */
function signJwt({ header, privateKey }: LoadedKeys, claims: JWTPayload): string {
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

function isCurrent(claims: TokenClaims): boolean {
  return claims.exp !== undefined && claims.exp > Date.now() / 1000;
}

async function ensureSigningKey(database: Database, vault: Vault): Promise<void> {
  if ((await listSigningKeys(database)).length > 0) return;
  await database.transaction(async (transaction) => {
    await lockSigningKeys(transaction);
    if ((await listSigningKeys(transaction)).length === 0)
      await insertSigningKey(transaction, await makeKey(vault));
  });
}

async function makeKey(vault: Vault): Promise<SigningKeyRow> {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const kid = newId();
  return {
    kid,
    publicJwk: { ...(await exportJWK(publicKey)), kid, alg: ALGORITHM, use: 'sig' },
    privateJwk: vault.seal(JSON.stringify(await exportJWK(privateKey)), PURPOSE),
    activeFrom: now(),
  };
}

async function load(database: Database, vault: Vault): Promise<LoadedKeys> {
  const rows = await listSigningKeys(database);
  const signing = rows.find((row) => Date.parse(row.activeFrom) <= Date.now()) ?? rows[0];
  if (!signing) throw new Error('There is no signing key.');
  const published = { keys: rows.map((row) => row.publicJwk) };
  const header = { alg: ALGORITHM, kid: signing.kid, typ: 'JWT' };
  return {
    header: Buffer.from(JSON.stringify(header)).toString('base64url'),
    privateKey: createPrivateKey({ key: openSealed(vault, signing.privateJwk), format: 'jwk' }),
    published,
    find: createLocalJWKSet(published),
  };
}

function openSealed(vault: Vault, sealed: Buffer): JWK {
  try {
    return JSON.parse(vault.open(sealed, PURPOSE)) as JWK;
  } catch (error) {
    throw new WrongMasterKey(
      'MASTER_KEY does not open the secrets of this database: it is not the one they were sealed with.',
      { cause: error },
    );
  }
}
