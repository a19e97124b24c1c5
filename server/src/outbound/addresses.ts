import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The well-known prefix with which IPv6-only networks reach IPv4 (RFC 6052). The last four bytes are the IPv4 address.
 */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');

/** Azure's virtual host, which has metadata and credentials of the machine. The address is in a public range. */
const AZURE_HOST = '168.63.129.16';

/** All public IPv6 addresses are in this range (RFC 4291, IANA). All other addresses are reserved. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an IP address belongs to the public internet. Private, loopback, link-local, metadata, multicast and reserved
 * addresses do not. This includes their encodings as IPv4-mapped IPv6, NAT64, 6to4, Teredo and ISATAP.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv6') {
    const bytes = parsed.toByteArray();
    if (parsed.match(NAT64)) return isPublicAddress(ipaddr.fromByteArray(bytes.slice(12)).toString());
    if (!parsed.match(GLOBAL_UNICAST) || isIsatap(bytes)) return false;
  }
  return parsed.range() === 'unicast' && parsed.toString() !== AZURE_HOST;
}

/**
 * Whether an IPv6 address contains a local IPv4 address (ISATAP, RFC 5214): the last eight bytes are 0000:5efe or
 * 0200:5efe and the IPv4 address.
 */
function isIsatap(bytes: number[]): boolean {
  return [0, 2].includes(bytes[8]!) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}

/**
 * Whether the host of a URL is not public: a literal address that is not public, or a name of this machine. Other names
 * must be resolved first.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.+$/g, '');
  if (isIP(host)) return !isPublicAddress(host);
  return /(^|\.)localhost$/.test(host);
}
