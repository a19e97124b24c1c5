import ipaddr from 'ipaddr.js';

/**
 * The network that counts as one caller: an IPv4 address, or the /64 of an IPv6 address, because one client usually has
 * a whole /64.
 */
export function networkOf(address: string | null): string {
  if (address === null) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}
