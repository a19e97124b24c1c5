import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { Sent, Stored } from '../audit-history.ts';
import { accepted, call } from '../http.ts';
import type { ServerProcess } from '../server-process.ts';
import type { Scene } from './scene.ts';

/** A receiver of webhooks that runs over all crashes, and the clients that trigger deliveries. */
export interface WebhookLog {
  /** Registers a webhook for a round, and returns a client that triggers it until the round is over or an answer is missing. */
  register(
    server: ServerProcess,
    account: { email: string; password: string },
    round: number,
  ): Promise<(scene: Scene) => Promise<void>>;
  /**
   * The distinct deliveries. The receiver knows each by its id: an equal one is a repetition, another one is not. Triggers without
   * an answer get the ids of the deliveries that they created.
   */
  received(): Stored[];
  close(): void;
}

interface Round {
  secret: string;
  /** The triggers without an answer, with the time at which they were sent. */
  unsure: Map<Sent, number>;
  acknowledged: Set<string>;
  /** The received deliveries, as texts of JSON. */
  arrived: Set<string>;
}

/** Starts a receiver on a port of its own. */
export async function startWebhookLog(): Promise<WebhookLog> {
  const rounds = new Map<string, Round>();
  const receiver = createServer((request, response) => void receive(request, response)).listen(
    0,
    '127.0.0.1',
  );
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const round = rounds.get(request.url ?? '');
    round?.arrived.add(JSON.stringify(entryOf(request, body, round.secret)));
    response.writeHead(204).end();
  }

  return {
    async register(server, account, number) {
      const path = `/round-${number}`;
      const logIn = `${server.url}/api/saas-auth/login`;
      const { accessToken: bearer } = await accepted('POST', logIn, { body: account });
      const webhooks = `${server.url}/api/admin/webhooks`;
      const url = `http://127.0.0.1:${port}${path}`;
      const { id, secret } = await accepted('POST', webhooks, { body: { url }, bearer });
      const round: Round = { secret, unsure: new Map(), acknowledged: new Set(), arrived: new Set() };
      rounds.set(path, round);
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
          round.unsure.set(note, Date.now());
          const answer = await call('POST', `${webhooks}/${id}/test`, { bearer }).catch(() => undefined);
          if (!answer) return;
          if (answer.status >= 500) continue;
          round.unsure.delete(note);
          if (answer.status >= 400) {
            note.isRefused = true;
            continue;
          }
          note.key = answer.body.id;
          note.acknowledgedAt = Date.now();
          round.acknowledged.add(note.key);
        }
      };
    },
    received: () => [...rounds.values()].flatMap(deliveriesOf),
    close() {
      receiver.closeAllConnections();
      receiver.close();
    },
  };
}

function deliveriesOf({ arrived, acknowledged, unsure }: Round): Stored[] {
  const deliveries = [...arrived].map((entry) => JSON.parse(entry) as Stored);
  for (const { key, storedAt } of deliveries) {
    if (acknowledged.has(key)) continue;
    const [trigger] = [...unsure].findLast(([, sentAt]) => sentAt <= storedAt) ?? [];
    if (!trigger) continue;
    trigger.key = key;
    unsure.delete(trigger);
  }
  return deliveries;
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
