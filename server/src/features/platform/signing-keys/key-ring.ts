import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWK } from 'jose';
import type { Querier } from '../../../database/database.ts';
import { WrongMasterKeyError, type Vault } from '../../../security/vault.ts';
import { newId } from '../../../core/ids.ts';
import { listSigningKeys, type SigningKeyRow } from './queries.ts';

/** Every game engine's JWT library knows it; it signs in 25 µs and verifies in 50 µs here. */
export const ALGORITHM = 'ES256';
const PURPOSE = 'signing key';

/** A signing key, ready for use. Times are milliseconds of the clock. */
export interface SigningKey {
  kid: string;
  publicKey: KeyObject;
  privateKey: KeyObject;
  /** The encoded header of the tokens that it signs. */
  header: string;
  activeFrom: number;
  /** From when on its tokens are refused; infinite while it has no successor. */
  retiresAt: number;
}

/** The keys of the deployment as they were read: which one signs and which ones verify is a matter of the clock. */
export interface KeyRing {
  /** The key whose tokens name it, unless it has retired. */
  find(kid: string): SigningKey | undefined;
  /** The key that signs now: the newest of those that are active. */
  signing(): SigningKey;
  /** The public halves of all that verify, those that are yet to sign among them. */
  published(): JSONWebKeySet;
}

/** Reads the keys, and opens their private halves. Throws {@link WrongMasterKeyError} where they were sealed with another one. */
export async function readKeyRing(db: Querier, vault: Vault): Promise<KeyRing> {
  const rows = await listSigningKeys(db);
  const keys = new Map(rows.map((row) => [row.kid, unseal(vault, row)]));
  const living = (): SigningKey[] => [...keys.values()].filter(({ retiresAt }) => Date.now() < retiresAt);

  return {
    find(kid) {
      const key = keys.get(kid);
      return key && Date.now() < key.retiresAt ? key : undefined;
    },
    signing() {
      const candidates = living();
      // Where our clock is so far behind that none is active yet, the one that is the first to be.
      const key = candidates.find(({ activeFrom }) => activeFrom <= Date.now()) ?? candidates.at(-1);
      if (!key) throw new Error('There is no signing key.');
      return key;
    },
    published() {
      const kids = new Set(living().map(({ kid }) => kid));
      return { keys: rows.filter(({ kid }) => kids.has(kid)).map(({ publicJwk }) => publicJwk) };
    },
  };
}

/** A new key pair as it is stored. */
export async function makeKey(vault: Vault, activeFrom: string): Promise<Omit<SigningKeyRow, 'retiresAt'>> {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const kid = newId();
  return {
    kid,
    publicJwk: { ...(await exportJWK(publicKey)), kid, alg: ALGORITHM, use: 'sig' },
    privateJwk: vault.seal(JSON.stringify(await exportJWK(privateKey)), PURPOSE),
    activeFrom,
  };
}

function unseal(
  vault: Vault,
  { kid, publicJwk, privateJwk, activeFrom, retiresAt }: SigningKeyRow,
): SigningKey {
  const header = JSON.stringify({ alg: ALGORITHM, kid, typ: 'JWT' });
  return {
    kid,
    publicKey: createPublicKey({ key: publicJwk, format: 'jwk' }),
    privateKey: createPrivateKey({ key: openSealed(vault, privateJwk), format: 'jwk' }),
    header: Buffer.from(header).toString('base64url'),
    activeFrom: Date.parse(activeFrom),
    retiresAt: retiresAt === null ? Infinity : Date.parse(retiresAt),
  };
}

function openSealed(vault: Vault, sealed: Buffer): JWK {
  try {
    return JSON.parse(vault.open(sealed, PURPOSE)) as JWK;
  } catch (error) {
    throw new WrongMasterKeyError(
      'MASTER_KEY does not open the secrets of this database: it is not the one they were sealed with.',
      { cause: error },
    );
  }
}
