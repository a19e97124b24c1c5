import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWK } from 'jose';
import type { Querier } from '../../../database/database.ts';
import { WrongMasterKeyError, type Vault } from '../../../security/vault.ts';
import { newId } from '../../../core/ids.ts';
import { listSigningKeys, type SigningKeyRow } from './queries.ts';

/** The JWT libraries of all common game engines support ES256. It signs in 25 µs and verifies in 50 µs. */
export const ALGORITHM = 'ES256';
const PURPOSE = 'signing key';

/** A decrypted signing key. Times are in milliseconds since 1970. */
export interface SigningKey {
  kid: string;
  publicJwk: JWK;
  publicKey: KeyObject;
  privateKey: KeyObject;
  /** The encoded header of the tokens that it signs. */
  header: string;
  activeFrom: number;
  /** The time after which its tokens are rejected. `Infinity` if the key has no successor. */
  retiresAt: number;
}

/** The signing keys of the deployment. The current time decides which key signs and which keys verify. */
export interface KeyRing {
  /** Returns the key with this id, unless it has retired. */
  find(kid: string): SigningKey | undefined;
  /** Returns the newest active key. */
  signing(): SigningKey;
  /** Returns the public keys of all keys that have not retired. Keys that are not active yet are included. */
  published(): JSONWebKeySet;
}

/** Reads the keys and decrypts the private keys. Throws {@link WrongMasterKeyError} if the master key is not the right one. */
export async function readKeyRing(db: Querier, vault: Vault): Promise<KeyRing> {
  const rows = await listSigningKeys(db);
  const keys = new Map(rows.map((row) => [row.kid, toSigningKey(vault, row)]));
  const unretired = (): SigningKey[] => [...keys.values()].filter(({ retiresAt }) => Date.now() < retiresAt);

  return {
    find(kid) {
      const key = keys.get(kid);
      return key && Date.now() < key.retiresAt ? key : undefined;
    },
    signing() {
      const candidates = unretired();
      // If the clock of this machine is so slow that no key is active, the key that becomes active first signs.
      const key = candidates.find(({ activeFrom }) => activeFrom <= Date.now()) ?? candidates.at(-1);
      if (!key) throw new Error('There is no signing key.');
      return key;
    },
    published: () => ({ keys: unretired().map(({ publicJwk }) => publicJwk) }),
  };
}

/** Throws {@link WrongMasterKeyError} if the vault cannot decrypt the secrets of the database. */
export async function checkMasterKey(db: Querier, vault: Vault): Promise<void> {
  await readKeyRing(db, vault);
}

/** Generates a key pair and encrypts its private key for storage. */
export async function generateSigningKey(
  vault: Vault,
  activeFrom: string,
): Promise<Omit<SigningKeyRow, 'retiresAt'>> {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const kid = newId();
  return {
    kid,
    publicJwk: { ...(await exportJWK(publicKey)), kid, alg: ALGORITHM, use: 'sig' },
    privateJwk: vault.seal(JSON.stringify(await exportJWK(privateKey)), PURPOSE),
    activeFrom,
  };
}

function toSigningKey(
  vault: Vault,
  { kid, publicJwk, privateJwk, activeFrom, retiresAt }: SigningKeyRow,
): SigningKey {
  const header = JSON.stringify({ alg: ALGORITHM, kid, typ: 'JWT' });
  return {
    kid,
    publicJwk,
    publicKey: createPublicKey({ key: publicJwk, format: 'jwk' }),
    privateKey: createPrivateKey({ key: decryptPrivateKey(vault, privateJwk), format: 'jwk' }),
    header: Buffer.from(header).toString('base64url'),
    activeFrom: Date.parse(activeFrom),
    retiresAt: retiresAt === null ? Infinity : Date.parse(retiresAt),
  };
}

function decryptPrivateKey(vault: Vault, sealed: Buffer): JWK {
  try {
    return JSON.parse(vault.open(sealed, PURPOSE)) as JWK;
  } catch (error) {
    throw new WrongMasterKeyError({ cause: error });
  }
}
