import { once } from 'node:events';
import { createServer, type RequestListener, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

/** Serves HTTP on a free port of the loopback until the tests of the file are over, and returns the address. */
export async function serveOnLoopback(answer: RequestListener, options: ServerOptions = {}): Promise<string> {
  const server = createServer(options, answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Where another hook fails, the one below does not run: the tests should end all the same.
  server.unref();
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
