import type { FastifyRequest } from 'fastify';

/**
 * Whether a request to a server on loopback comes from a program or a page of this machine. It does not if:
 * - a header says that a proxy forwarded it
 * - `Host` is another name: a tunnel, or a page of another host whose name now leads here
 * - a page of another origin sent it.
 */
export function isFromThisMachine({ headers }: FastifyRequest, publicUrl: string): boolean {
  if (['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'].some((name) => headers[name] !== undefined))
    return false;
  const host = URL.parse(`http://${headers.host ?? ''}`);
  if (!host || !(isLoopbackName(host.hostname) || host.host === loopbackHostOf(publicUrl))) return false;
  return headers.origin === undefined || URL.parse(headers.origin)?.host === host.host;
}

function isLoopbackName(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** The host of the public URL, if it is another address of this machine. */
function loopbackHostOf(publicUrl: string): string | undefined {
  const { hostname, host } = new URL(publicUrl);
  return hostname.startsWith('127.') ? host : undefined;
}
