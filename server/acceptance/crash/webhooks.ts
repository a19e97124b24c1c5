import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { send } from '../arrange.ts';
import type { Sent, Stored } from '../audit-history.ts';
import type { ServerProcess } from '../server-process.ts';
import { post, type Scene } from './scene.ts';

/** A receiver of webhooks that runs over all crashes, and the clients that trigger deliveries. */
export interface WebhookLog {
  /** Registers a webhook for a round, and returns a client that triggers it until the round is over or an answer is missing. */
  register(
    server: ServerProcess,
    account: { email: string; password: string },
    round: number,
  ): Promise<(scene: Scene) => Promise<void>>;
  /** The distinct deliveries. The receiver knows each by its id: an equal one is a repetition, another one is not. */
  received(): Stored[];
  close(): void;
}

interface Round {
  secret: string;
  /** What arrived, as texts of JSON. */
  arrived: Set<string>;
}

/** Starts a receiver on a port of its own. */
export async function startWebhookLog(): Promise<WebhookLog> {
  const rounds = new Map<string, Round>();
  const receiver = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const round = rounds.get(request.url ?? '');
    round?.arrived.add(JSON.stringify(entryOf(request, body, round.secret)));
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;

  return {
    async register(server, account, number) {
      const path = `/round-${number}`;
      const { accessToken = '' } = await send(`${server.url}/api/saas-auth/login`, 'POST', account);
      const webhooks = `${server.url}/api/admin/webhooks`;
      const url = `http://127.0.0.1:${port}${path}`;
      const { id = '', secret = '' } = await send(webhooks, 'POST', { url }, accessToken);
      const round: Round = { secret, arrived: new Set() };
      rounds.set(path, round);
      const bearer = { authorization: `Bearer ${accessToken}` };
      return async ({ sent, over }) => {
        for (let batch = 0; !over.aborted; batch++) {
          const note: Sent = {
            kind: 'webhook',
            // The server chooses the id.
            key: `${path} ${batch} without an answer`,
            tenant: path,
            content: CONTENT,
            client: `webhooks of ${path}`,
            batch,
            acknowledgedAt: undefined,
            units: 0,
          };
          sent.push(note);
          const answer = await post(`${webhooks}/${id}/test`, {}, bearer);
          if (!answer || answer.status >= 500) return;
          if (answer.status >= 400) note.isRefused = true;
          else Object.assign(note, { key: answer.body['id'], acknowledgedAt: Date.now() });
        }
      };
    },
    received: () =>
      [...rounds.values()].flatMap(({ arrived }) => [...arrived].map((entry) => JSON.parse(entry) as Stored)),
    close() {
      receiver.closeAllConnections();
      receiver.close();
    },
  };
}

const CONTENT = 'signed webhook.test';

function entryOf({ headers, url }: IncomingMessage, body: string, secret: string): Stored {
  const { type, timestamp } = JSON.parse(body) as { type: string; timestamp: string };
  return {
    kind: 'webhook',
    key: String(headers['webhook-id']),
    tenant: url ?? '',
    content: `${isSigned(headers, body, secret) ? 'signed' : 'forged'} ${type}`,
    storedAt: Date.parse(timestamp),
  };
}

function isSigned(headers: IncomingMessage['headers'], body: string, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

/**
 * Gives the last trigger of a round its id, if it got no answer and was delivered. Each round has one trigger without an answer at
 * most: a second unknown delivery stays unknown.
 */
export function nameUnanswered(sent: Sent[], received: Stored[]): void {
  const known = new Set(sent.map(({ key }) => key));
  for (const note of sent) {
    if (note.kind !== 'webhook' || note.acknowledgedAt !== undefined) continue;
    const unknown = received.find(({ tenant, key }) => tenant === note.tenant && !known.has(key));
    if (unknown) note.key = unknown.key;
  }
}
