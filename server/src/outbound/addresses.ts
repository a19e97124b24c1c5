import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The well-known prefix by which IPv6-only networks reach IPv4 (RFC 6052): its last four bytes are the IPv4 address. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');

/**
 * Whether an IP address is one of the public internet. Whatever stands for a private, loopback, link-local, metadata,
 * multicast or reserved address is not, in every disguise that a network would undo: IPv4 mapped into IPv6, NAT64, 6to4
 * and Teredo.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv6' && parsed.match(NAT64)) {
    return isPublicAddress(ipaddr.fromByteArray(parsed.toByteArray().slice(12)).toString());
  }
  return parsed.range() === 'unicast';
}

/**
 * Whether the host of a URL is, as it stands, one that is walled off: a literal address that is not public, or this machine
 * by its name. Other names say nothing until they are resolved.
 */
export function isWalledHost(hostname: string): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal)) return !isPublicAddress(literal);
  return /(^|\.)localhost\.?$/.test(hostname);
}
