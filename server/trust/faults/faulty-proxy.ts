import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

/** The faults of a network or a server. */
export const faults = ['delay', 'half', 'reset', 'blackhole', 'nonsense'] as const;
export type Fault = (typeof faults)[number];

/** A TCP proxy in front of a server that a deployment depends on. */
export interface FaultyProxy {
  port: number;
  /** The number of open connections. */
  connections(): number;
  /** The number of connections that the fault `reset` has refused. */
  refused(): number;
  /** Begins a fault for all connections, including new ones. */
  begin(fault: Fault): void;
  /** Ends the fault. Connections that lost data are closed. Data that a blackhole has held arrive now. */
  end(): void;
}

const DELAY_MS = 300;
const NONSENSE = Buffer.from([0, 255, 13, 10, 7, 72, 84, 84, 80, 0, 200, 13, 10, 13, 10]);

/** Starts a proxy to a TCP port or a Unix socket, and stops it after the tests of the file. */
async function startFaultyProxy(
  target: { host: string; port: number } | { path: string },
): Promise<FaultyProxy> {
  let fault: Fault | undefined;
  let refused = 0;
  const pairs = new Set<{ client: Socket; server: Socket }>();
  const closeAll = (): void => pairs.forEach(({ client, server }) => (client.destroy(), server.destroy()));

  const listener = createServer((client) => {
    const server = connect(target);
    const pair = { client, server };
    pairs.add(pair);
    const closePair = (): void => {
      client.destroy();
      server.destroy();
      pairs.delete(pair);
    };
    for (const socket of [client, server]) socket.on('error', () => {}).on('close', closePair);
    if (fault === 'reset') {
      refused++;
      return void client.resetAndDestroy();
    }
    if (fault === 'blackhole') [client, server].forEach((socket) => socket.pause());
    /** Passes bytes on in their order, even if a delay ends between them. */
    const passTo = (to: Socket) => {
      let last = Promise.resolve();
      return (bytes: Buffer): void => {
        const delay = fault === 'delay' ? sleep(DELAY_MS) : undefined;
        last = last.then(() => delay).then(() => void (to.writable && to.write(bytes)));
      };
    };
    const [toClient, toServer] = [passTo(client), passTo(server)];
    client.on('data', (bytes: Buffer) => {
      if (fault === 'nonsense') client.end(NONSENSE);
      else toServer(bytes);
    });
    server.on('data', (bytes: Buffer) => {
      if (fault === 'half') client.end(bytes.subarray(0, bytes.length / 2));
      else toClient(bytes);
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  listener.unref();
  after(() => {
    closeAll();
    listener.close();
  });
  return {
    port: (listener.address() as { port: number }).port,
    connections: () => pairs.size,
    refused: () => refused,
    begin(next) {
      fault = next;
      for (const { client, server } of pairs) {
        if (next === 'reset') client.resetAndDestroy();
        if (next === 'blackhole') [client, server].forEach((socket) => socket.pause());
      }
    },
    end() {
      fault = undefined;
      for (const { client, server } of pairs) [client, server].forEach((socket) => socket.resume());
    },
  };
}

/** Starts a proxy to the server of a URL, and returns it with the URL through it. */
export async function proxyOf(url: string): Promise<FaultyProxy & { url: string }> {
  const parsed = new URL(url);
  const folder = parsed.searchParams.get('host');
  const port = parsed.searchParams.get('port') ?? parsed.port;
  const proxy = await startFaultyProxy(
    folder?.startsWith('/')
      ? { path: `${folder}/.s.PGSQL.${port || 5432}` }
      : { host: folder ?? parsed.hostname, port: Number(port) },
  );
  for (const name of ['host', 'port']) parsed.searchParams.delete(name);
  // A Unix socket has no host in its URL.
  const through = parsed.href.replace(/^(\w+:\/\/(?:[^@/]*@)?)[^/?]*/, `$1127.0.0.1:${proxy.port}`);
  return { ...proxy, url: through };
}
