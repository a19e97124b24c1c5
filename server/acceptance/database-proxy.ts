import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after } from 'node:test';

/** A TCP proxy in front of PostgreSQL that simulates a broken network. */
export interface DatabaseProxy {
  /** The connection string of the database through the proxy. */
  url: string;
  /** The number of attempted connections. */
  attempts: number;
  /** Closes all connections, and rejects new ones until `open` is called. */
  refuse(): void;
  /**
   * Drops all data in both directions without closing connections, until `open` is called. Applies to existing and new
   * connections whose startup message contains `text`, such as the application name.
   */
  blackhole(text: string): void;
  /** Accepts new connections again. */
  open(): void;
}

/** Starts a proxy and stops it after the tests of the file. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const { searchParams, hostname, port: plainPort } = new URL(databaseUrl);
  const folder = searchParams.get('host');
  const port = searchParams.get('port') || plainPort || '5432';
  const target = folder?.startsWith('/')
    ? { path: `${folder}/.s.PGSQL.${port}` }
    : { host: folder ?? hostname, port: Number(port) };

  const connections = new Set<{ client: Socket; server: Socket; startup: string; lost: boolean }>();
  let refused = false;
  let lostText: string | undefined;
  const isLost = (startup: string) => lostText !== undefined && startup.includes(lostText);

  const listener = createServer((client) => {
    proxy.attempts++;
    client.on('error', () => {});
    if (refused) return client.destroy();
    const server = connect(target);
    server.on('error', () => {});
    const connection = { client, server, startup: '', lost: false };
    connections.add(connection);
    client.on('data', (bytes: Buffer) => {
      connection.startup ||= bytes.toString('latin1');
      connection.lost ||= isLost(connection.startup);
      if (!connection.lost) server.write(bytes);
    });
    server.on('data', (bytes: Buffer) => {
      if (!connection.lost) client.write(bytes);
    });
    client.on('close', () => {
      server.destroy();
      connections.delete(connection);
    });
    server.on('close', () => {
      if (!connection.lost) client.destroy();
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  listener.unref();

  const endAll = (): void => {
    for (const { client, server } of connections) {
      client.destroy();
      server.destroy();
    }
  };
  after(() => {
    endAll();
    listener.close();
  });
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.searchParams.delete('port');
  url.hostname = '127.0.0.1';
  url.port = String((listener.address() as { port: number }).port);
  const proxy: DatabaseProxy = {
    url: url.href,
    attempts: 0,
    refuse() {
      refused = true;
      endAll();
    },
    blackhole(text) {
      lostText = text;
      for (const connection of connections) connection.lost ||= isLost(connection.startup);
    },
    open() {
      refused = false;
      lostText = undefined;
    },
  };
  return proxy;
}
