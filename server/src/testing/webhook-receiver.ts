import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { serveOnLoopback } from './loopback-server.ts';

/** A received delivery. */
interface ReceivedDelivery {
  id: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A receiver of webhooks. It stores deliveries, and its response can be replaced. */
export interface WebhookReceiver {
  url: string;
  received: ReceivedDelivery[];
  /** Responds to a delivery. Default: 204. */
  answer: (response: ServerResponse, delivery: ReceivedDelivery) => unknown;
}

/** Starts a receiver for the tests of a file and stops it after them. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const url = await serveOnLoopback((request, response) => {
    void text(request).then((body) => {
      const { headers, url: path = '' } = request;
      const delivery = { id: String(headers['webhook-id']), path, headers, body };
      receiver.received.push(delivery);
      receiver.answer(response, delivery);
    });
  });
  const receiver: WebhookReceiver = {
    url,
    received: [],
    answer: (response) => response.writeHead(204).end(),
  };
  return receiver;
}

/** Verifies a delivery with an independent library, and returns its content. Throws if the signature is invalid. */
export function verify(secret: string, { body, headers }: ReceivedDelivery): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}

/** Whether a delivery is signed with the secret. */
export function isSignedWith(secret: string, delivery: ReceivedDelivery): boolean {
  try {
    verify(secret, delivery);
    return true;
  } catch {
    return false;
  }
}
