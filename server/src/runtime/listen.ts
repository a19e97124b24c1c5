import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { App } from '../http/server.ts';
import { ConfigError, issuerOf, type Config } from './config.ts';

/** How many ports after a used one are tried, to propose a free one. */
const PROPOSALS = 20;

/** Lets the application listen on HOST and PORT. Throws {@link ConfigError} with the command that works instead. */
export async function listen(app: App, { host, port }: Pick<Config, 'host' | 'port'>): Promise<string> {
  try {
    // For `localhost` with two addresses, Fastify would open a second server, which app.server, and so drain(), does not know.
    // IPv4 first, as the URLs that Guildhall prints.
    const { address } = await lookup(host, { order: 'ipv4first' });
    const url = (await app.listen({ port, host: address })) as string | undefined;
    // For 0.0.0.0, Fastify returns the first IPv4 address of the machine, which may have none.
    return url ?? issuerOf({ publicUrl: undefined, host, port });
  } catch (error) {
    throw new ConfigError(await describeProblem(error as NodeJS.ErrnoException, host, port), {
      cause: error,
    });
  }
}

async function describeProblem(
  { code, message }: NodeJS.ErrnoException,
  host: string,
  port: number,
): Promise<string> {
  switch (code) {
    case 'EADDRINUSE': {
      const free = await findFreePort(host, port);
      return `PORT ${port} is in use on ${host}. Stop the program that uses it, or use another port: PORT=${free} npm start`;
    }
    case 'EACCES':
      return `PORT ${port} needs the rights of an administrator. Use a port from 1024 on: PORT=${await findFreePort(host, 8079)} npm start`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `HOST ${host} is not an address of this machine. Listen on all of its addresses: HOST=${wildcard()} npm start`;
    default:
      return `The server cannot listen on the address of HOST and PORT: ${message}. Set another address.`;
  }
}

/** The address that means all addresses of the machine. `::` includes those of IPv4, but IPv6 may be turned off. */
function wildcard(): string {
  const reachable = Object.values(networkInterfaces()).flatMap((found = []) =>
    found.filter(({ internal }) => !internal),
  );
  return reachable.length > 0 && reachable.every(({ family }) => family === 'IPv6') ? '::' : '0.0.0.0';
}

async function findFreePort(host: string, used: number): Promise<number> {
  for (let port = used + 1; port <= Math.min(used + PROPOSALS, 65_535); port++)
    if (await isFree(host, port)) return port;
  // The system chooses one.
  return 0;
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
