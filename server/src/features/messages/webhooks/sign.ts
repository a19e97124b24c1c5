import { createHmac, randomBytes } from 'node:crypto';
import type { Vault } from '../../../security/vault.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Generates a secret in the format of Standard Webhooks. */
export function generateSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * Creates the headers that prove the origin and the time of a delivery (Standard Webhooks). They contain one signature per
 * secret. A receiver accepts any of them.
 */
export function createSignatureHeaders(id: string, seconds: number, body: string, secrets: string[]) {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}

/** Encrypts the secret of a webhook for storage. */
export function sealSecret(vault: Vault, webhookId: string, secret: string): Buffer {
  return vault.seal(secret, purposeOf(webhookId));
}

export function unsealSecret(vault: Vault, webhookId: string, sealed: Buffer): string {
  return vault.open(sealed, purposeOf(webhookId));
}

function purposeOf(webhookId: string): string {
  return `webhook ${webhookId}`;
}
