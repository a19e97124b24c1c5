import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The well-known prefix by which IPv6-only networks reach IPv4 (RFC 6052): its last four bytes are the IPv4 address. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');

/** All public IPv6 addresses lie in here (RFC 4291, IANA); what lies outside is reserved, whatever else it looks like. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an IP address is one of the public internet. Whatever stands for a private, loopback, link-local, metadata,
 * multicast or reserved address is not, in every disguise that a network would undo: IPv4 mapped into IPv6, NAT64, 6to4,
 * Teredo and ISATAP.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv6') {
    const bytes = parsed.toByteArray();
    if (parsed.match(NAT64)) return isPublicAddress(ipaddr.fromByteArray(bytes.slice(12)).toString());
    if (!parsed.match(GLOBAL_UNICAST) || isIsatap(bytes)) return false;
  }
  return parsed.range() === 'unicast';
}

/** An IPv4 address of the local network within an IPv6 one (RFC 5214): the last eight bytes are 0000:5efe or 0200:5efe and it. */
function isIsatap(bytes: number[]): boolean {
  return [0, 2].includes(bytes[8]!) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}

/**
 * Whether the host of a URL is, as it stands, one that is walled off: a literal address that is not public, or this machine
 * by its name. Other names say nothing until they are resolved.
 */
export function isWalledHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.+$/g, '');
  if (isIP(host)) return !isPublicAddress(host);
  return /(^|\.)localhost$/.test(host);
}
