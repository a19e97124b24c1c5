import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Returns a free port. It is below the range that the system uses for outgoing connections, because such a port could
 * be taken before the server starts.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(15_000, 32_000);
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return freePort();
  }
  server.close();
  await once(server, 'close');
  return port;
}
