import { once } from 'node:events';
import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRandom } from './random.ts';

/**
 * What happens to a request:
 * - `delay`: it is carried out after some time
 * - `cut`: the connection closes before the server sees the request
 * - `drop_answer`: the server carries the request out, then the connection closes without an answer
 * - `cut_answer`: the connection closes in the middle of the answer
 * - `answer_503`: the server does not see the request
 * - any other status: the proxy answers with it instead of the server
 */
export type FaultAction = 'delay' | 'cut' | 'drop_answer' | 'cut_answer' | 'answer_503' | `answer_${number}`;

/** A fault for the next requests that match. */
export interface Fault {
  /** The method and the beginning of the path: `POST /api/game/player-events`. */
  match: string;
  action: FaultAction;
  /** How many requests it is for, 1 by default. */
  times?: number;
  delayMs?: number;
  /** The header `Retry-After` of an answer. */
  retryAfter?: number;
  /** The problem document of an answer. */
  problem?: Record<string, unknown>;
}

/** How often each fault happens by chance, between 0 and 1, to requests that match. */
export interface FaultRates {
  match: string;
  seed: number;
  rates: Partial<Record<FaultAction, number>>;
  delayMs?: number;
}

export interface FaultProxy {
  url: string;
  /** The requests so far, as `METHOD path`. */
  readonly requests: string[];
  /** How often each fault happened. A dropped answer counts after the server gave it. */
  readonly faults: Record<string, number>;
  /** Sets the faults for the next requests, instead of those before. */
  plan(faults: Fault[]): void;
  /** Sets faults by chance, or none. */
  randomize(rates: FaultRates | undefined): void;
  /** Changes the bodies of requests, for tests that must fail. */
  rewrite(change: ((body: string) => string) | undefined): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of a server. It fails requests in the ways in which networks and servers fail. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  const requests: string[] = [];
  const faults: Record<string, number> = {};
  let planned: (Fault & { left: number })[] = [];
  let byChance: (FaultRates & { random: () => number }) | undefined;
  let rewrite: ((body: string) => string) | undefined;

  function faultFor(name: string): Fault | undefined {
    const fault = planned.find(({ match, left }) => left > 0 && name.startsWith(match));
    if (fault) {
      fault.left--;
      return fault;
    }
    if (!byChance || !name.startsWith(byChance.match)) return undefined;
    let chance = byChance.random();
    for (const [action, rate] of Object.entries(byChance.rates) as [FaultAction, number][]) {
      if (chance < rate) return { match: '', action, delayMs: byChance.random() * (byChance.delayMs ?? 50) };
      chance -= rate;
    }
    return undefined;
  }

  const server = createServer((request, response) => {
    // A client may end in the middle of a request.
    handle(request, response).catch(() => request.socket.destroy());
  });
  // The header of the server, which is passed on, promises this. A client that waited longer than the default would lose its request.
  server.keepAliveTimeout = 75_000;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => {});
    const name = `${request.method} ${request.url!.split('?')[0]}`;
    requests.push(name);
    const fault = request.method === 'OPTIONS' ? undefined : faultFor(name);
    await carryOut(request, response, fault);
    if (fault) faults[fault.action] = (faults[fault.action] ?? 0) + 1;
  }

  async function carryOut(request: IncomingMessage, response: ServerResponse, fault?: Fault): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    let body = Buffer.concat(chunks);
    if (rewrite && body.length > 0) body = Buffer.from(rewrite(body.toString()));

    if (fault?.action === 'cut') return void request.socket.destroy();
    if (fault?.action.startsWith('answer_')) return answer(request, response, fault);
    if (fault?.delayMs) await new Promise((resolve) => setTimeout(resolve, fault.delayMs));

    const { status, headers, data } = await forward(request, body);
    if (fault?.action === 'drop_answer') return void request.socket.destroy();
    if (fault?.action === 'cut_answer') {
      response.writeHead(status, { ...headers, 'content-length': data.length });
      response.write(data.subarray(0, data.length / 2));
      return void setTimeout(() => request.socket.destroy(), 5);
    }
    response.writeHead(status, headers).end(data);
  }

  async function forward(request: IncomingMessage, body: Buffer) {
    const { 'transfer-encoding': _encoding, ...headers } = request.headers;
    const onward = sendRequest({
      hostname,
      port,
      method: request.method,
      path: request.url,
      headers: { ...headers, 'content-length': body.length },
    });
    onward.end(body);
    const [answered] = (await once(onward, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of answered) chunks.push(chunk as Buffer);
    const { 'transfer-encoding': _chunked, connection: _connection, ...kept } = answered.headers;
    return { status: answered.statusCode!, headers: kept, data: Buffer.concat(chunks) };
  }

  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    faults,
    plan: (next) => {
      planned = next.map((fault) => ({ ...fault, left: fault.times ?? 1 }));
    },
    randomize: (rates) => {
      byChance = rates && { ...rates, random: createRandom(rates.seed) };
    },
    rewrite: (change) => {
      rewrite = change;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers instead of the server, like a gateway or the API itself. A browser must be allowed to read it. */
function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { action, retryAfter, problem }: Fault,
): void {
  const status = Number(action.slice('answer_'.length));
  const { origin } = request.headers;
  response
    .writeHead(status, {
      'content-type': problem ? 'application/problem+json' : 'text/plain',
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      ...(origin && { 'access-control-allow-origin': origin }),
    })
    .end(problem ? JSON.stringify({ status, ...problem }) : 'The proxy answers.');
}
