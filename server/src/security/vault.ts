import { OperatorError } from '../core/operator-error.ts';
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { pooledRandomBytes } from './random-pool.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SALT_BYTES = 16;

/** Thrown at start if the master key does not open the secrets in the database. */
export class WrongMasterKeyError extends OperatorError {
  override name = 'WrongMasterKeyError';

  constructor(options?: ErrorOptions) {
    super(
      'MASTER_KEY cannot decrypt the secrets of this database. Set the current MASTER_KEY of the deployment.',
      options,
    );
  }
}

/** Encrypts and decrypts with one key. */
interface Sealer {
  /** Encrypts a text (AES-256-GCM). `purpose` is authenticated, so a value cannot be decrypted for another purpose. */
  seal(plaintext: string, purpose: string): Buffer;
  /** Decrypts a value of {@link Sealer.seal}. Throws for another key, another purpose, or an altered value. */
  open(sealed: Buffer, purpose: string): string;
}

/**
 * Protects secrets with keys derived from the root key of the deployment. It encrypts secrets that must be read again, and fingerprints
 * all others.
 */
export interface Vault extends Sealer {
  /**
   * Encrypts with a key of its own, which follows from the root key and the salt. If every copy of the salt is destroyed, nothing
   * can decrypt the values any more.
   */
  withSalt(salt: Buffer): Sealer;
  /** HMAC-SHA256 of a high-entropy secret. The database stores it in place of keys and tokens. */
  fingerprint(secret: string): Buffer;
  /** HMAC-SHA256 with a separate key: a secret that only this deployment can derive from this input. */
  derive(input: string): Buffer;
}

/** Creates the vault of a 32-byte key. */
export function createVault(key: Buffer): Vault {
  const derive = (use: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', `guildhall ${use}`, 32));
  const encryptionKey = derive('encryption');
  const fingerprintKey = derive('fingerprints');
  const derivationKey = derive('derived secrets');
  const saltingKey = derive('salted encryption');
  const hmac = (secret: Buffer, text: string): Buffer => createHmac('sha256', secret).update(text).digest();

  return {
    ...createSealer(encryptionKey),
    withSalt: (salt) => createSealer(createHmac('sha256', saltingKey).update(salt).digest()),
    fingerprint: (secret) => hmac(fingerprintKey, secret),
    derive: (input) => hmac(derivationKey, input),
  };
}

/** Creates a salt for {@link Vault.withSalt}. */
export function newSalt(): Buffer {
  return pooledRandomBytes(SALT_BYTES);
}

function createSealer(key: Buffer): Sealer {
  return {
    seal(plaintext, purpose) {
      const nonce = pooledRandomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
      return Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, purpose) {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      return (
        decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      );
    },
  };
}
