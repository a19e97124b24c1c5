import { once } from 'node:events';
import { createServer, type RequestListener, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

/** Serves HTTP on a free loopback port until the tests of the file end, and returns the URL. */
export async function serveOnLoopback(answer: RequestListener, options: ServerOptions = {}): Promise<string> {
  const server = createServer(options, answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // If another hook fails, the hook below does not run. The tests must end in any case.
  server.unref();
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
