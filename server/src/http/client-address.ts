import { isIP, SocketAddress } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** The client's IP address in its canonical form. Null if the header of a proxy contains no IP address. */
export function clientAddress(request: FastifyRequest): string | null {
  const family = isIP(request.ip);
  if (family === 0) return null;
  return family === 4 ? request.ip : new SocketAddress({ address: request.ip, family: 'ipv6' }).address;
}
