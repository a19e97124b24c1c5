import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Thrown at start where the secrets of the database were sealed with another master key than the one given. */
export class WrongMasterKeyError extends Error {
  override name = 'WrongMasterKeyError';
}

/** Keeps secrets with keys derived from the master key: sealed where they must be read again, else as a fingerprint. */
export interface Vault {
  /** Encrypts a text (AES-256-GCM). `purpose` is bound to it: a value moved elsewhere does not open. */
  seal(plaintext: string, purpose: string): Buffer;
  /** Decrypts what {@link Vault.seal} made. Throws for another master key, another purpose, or an altered value. */
  open(sealed: Buffer, purpose: string): string;
  /** HMAC-SHA256 of a high-entropy secret: what is stored and looked up in place of keys and tokens. */
  fingerprint(secret: string): Buffer;
  /** HMAC-SHA256 with a key of its own: a secret that only this deployment can derive, and only from this input. */
  derive(input: string): Buffer;
}

/** Opens the vault of a 32-byte master key. */
export function createVault(masterKey: Buffer): Vault {
  const derive = (use: string): Buffer =>
    Buffer.from(hkdfSync('sha256', masterKey, '', `guildhall ${use}`, 32));
  const encryptionKey = derive('encryption');
  const fingerprintKey = derive('fingerprints');
  const derivationKey = derive('derived secrets');
  const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

  return {
    seal(plaintext, purpose) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, nonce).setAAD(Buffer.from(purpose));
      return Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, purpose) {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', encryptionKey, nonce).setAAD(Buffer.from(purpose));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      return (
        decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      );
    },
    fingerprint: (secret) => hmac(fingerprintKey, secret),
    derive: (input) => hmac(derivationKey, input),
  };
}
