import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port that nothing listens on. From below those that the system gives to outgoing connections, of which tests make many: one
 * of these could be taken before the server that it is for has started.
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
