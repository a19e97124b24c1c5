import type { webhooks } from './api.ts';

/** A delivery as it arrived: the body must be the bytes or the text before any parser. */
export interface WebhookDelivery {
  body: string | Uint8Array;
  headers: Headers | Record<string, string | string[] | undefined>;
}

type Body<Type extends keyof webhooks> = webhooks[Type]['post']['requestBody']['content']['application/json'];

/** The data of each type of event. */
export type WebhookData = { [Type in keyof webhooks]: Body<Type>['data'] };

/** An event of one of the known types. A newer server may send others, so ignore a type that you do not know. */
export type WebhookEvent<Type extends keyof WebhookData = keyof WebhookData> = {
  [Name in Type]: Body<Name> & {
    /** The same in each attempt of a delivery: store it to recognize a repetition. */
    id: string;
  };
}[Type];

export interface VerifyOptions {
  /** How much the clocks may differ and how long a delivery may be on its way, 300 seconds by default. */
  toleranceSeconds?: number | undefined;
  /** The time to compare with, for tests. */
  now?: Date | undefined;
}

/** The delivery is not from Guildhall, was changed, or is too old. Answer 400, and do not act on it. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const TOLERANCE_SECONDS = 300;

/**
 * Checks the signature of a delivery (Standard Webhooks) and returns its event. Pass both secrets while a secret is being
 * rotated. Throws a `WebhookVerificationError`.
 */
export async function verifyWebhook(
  { body, headers }: WebhookDelivery,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  if (typeof body !== 'string' && !ArrayBuffer.isView(body))
    throw new TypeError('The body of a webhook must be its text or bytes, before any parser.');
  // With NaN, for example of a missing setting, a delivery of any age would pass.
  if (!(toleranceSeconds >= 0) || Number.isNaN(now.getTime()))
    throw new TypeError('The toleranceSeconds must be a number from 0, and now a valid time.');
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('The timestamp is not a number.');
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError(
      `The delivery is more than ${toleranceSeconds} seconds old, or a clock is wrong.`,
    );

  const encoder = new TextEncoder();
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const prefix = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(prefix.length + bytes.length);
  signed.set(prefix);
  signed.set(bytes, prefix.length);

  const given = signatures
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => decodeBase64(signature.slice('v1,'.length)));
  const keys = await Promise.all([secrets].flat().map(importKey));
  if (keys.length === 0) throw noSecret();
  for (const key of keys) {
    for (const signature of given) {
      // `verify` compares in constant time.
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed)))
        return eventOf(id, bytes);
    }
  }
  throw new WebhookVerificationError('No signature of the delivery is valid for this secret.');
}

function headerOf(headers: WebhookDelivery['headers'], name: string): string {
  const values = hasGet(headers) ? headers.get(name) : entryOf(headers, name);
  const value = Array.isArray(values) ? values[0] : values;
  if (!value) throw new WebhookVerificationError(`The header ${name} is missing.`);
  return value;
}

/** `Headers` of a library are often a class of their own. */
function hasGet(headers: WebhookDelivery['headers']): headers is Headers {
  return typeof headers.get === 'function';
}

function entryOf(headers: Record<string, string | string[] | undefined>, name: string) {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

async function importKey(secret: string): Promise<CryptoKey> {
  const bytes = typeof secret === 'string' ? decodeBase64(secret.replace(/^whsec_/, '')) : undefined;
  if (!bytes || bytes.length === 0) throw noSecret();
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

const noSecret = () => new TypeError('The secret of a webhook is `whsec_` and base64.');

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function eventOf(id: string, bytes: Uint8Array): WebhookEvent {
  try {
    return { ...(JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent), id };
  } catch (error) {
    throw new WebhookVerificationError('The body is not JSON.', { cause: error });
  }
}
