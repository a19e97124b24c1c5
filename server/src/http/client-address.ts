import { BlockList, isIP, SocketAddress, type Server } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { siteOf } from '../core/network.ts';

/** The servers whose log has a warning of {@link clientAddress}. */
const warned = { unnamedProxy: new WeakSet<Server>(), noAddress: new WeakSet<Server>() };

/** The client's IP address in its canonical form. Null if the header of a proxy contains no IP address, or the client has gone. */
export function clientAddress(request: FastifyRequest): string | null {
  const { ip } = request as { ip?: string };
  if (ip === undefined) return null;
  if (ip === request.socket.remoteAddress && isFromUnnamedProxy(request, ip))
    warnOnce(
      request,
      'unnamedProxy',
      `A request from ${ip} has an X-Forwarded-For, but TRUST_PROXY does not name this address. If it is your proxy, add it to ` +
        'TRUST_PROXY. Otherwise all its clients count as one network. If it is not a proxy, ignore this warning.',
    );
  const address = withoutPort(ip);
  const family = isIP(address);
  if (family === 4) return address;
  if (family === 6) return new SocketAddress({ address, family: 'ipv6' }).address;
  warnOnce(
    request,
    'noAddress',
    'A proxy that TRUST_PROXY names sent an X-Forwarded-For without a valid IP address. All such clients count as one network. ' +
      'Check the setting of the proxy.',
  );
  return null;
}

/** The site of the client: its IPv4 address, or the /48 of its IPv6 address. */
export const clientSite = (request: FastifyRequest): string => siteOf(clientAddress(request));

const LOCAL_RANGES = ['loopback', 'private', 'linkLocal', 'uniqueLocal'];

/**
 * Whether a proxy that `TRUST_PROXY` does not name probably sent the request. A client with a public address may send the header too, so
 * only local addresses count.
 */
function isFromUnnamedProxy({ headers, ips = [] }: FastifyRequest, address: string): boolean {
  // If a trusted proxy sent the request, `ips` also has the address of this proxy.
  if (!headers['x-forwarded-for'] || ips.length > 1) return false;
  return isIP(address) !== 0 && LOCAL_RANGES.includes(ipaddr.process(address).range());
}

function warnOnce(request: FastifyRequest, warning: keyof typeof warned, text: string): void {
  const { server } = request.server;
  if (warned[warning].has(server)) return;
  warned[warning].add(server);
  request.log.warn(`${text} This warning is logged once.`);
}

/**
 * Creates the function that says whether an entry of `X-Forwarded-For` is a trusted proxy. The entries can have ports, which Fastify's
 * own lists do not match.
 */
export function trustedProxies(
  setting: boolean | string[],
): boolean | ((entry: string | undefined) => boolean) {
  if (typeof setting === 'boolean') return setting;
  const proxies = new BlockList();
  for (const proxy of setting) {
    const [address = '', bits] = proxy.split('/');
    if (bits === undefined) proxies.addAddress(address, familyOf(address));
    else proxies.addSubnet(address, Number(bits), familyOf(address));
  }
  return (entry = '') => {
    const address = withoutPort(entry);
    return isIP(address) !== 0 && proxies.check(address, familyOf(address));
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Some load balancers add the port of the client, and then brackets around an IPv6 address. */
function withoutPort(entry: string): string {
  return entry.replace(/^(?:\[([\da-f:.]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/i, '$1$2');
}
