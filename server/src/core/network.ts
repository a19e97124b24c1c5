import ipaddr from 'ipaddr.js';

/**
 * The network that counts as one caller: an IPv4 address, or the /64 of an IPv6 address, because one client usually has
 * a whole /64.
 */
export function networkOf(address: string | null): string {
  return leading(address, 4);
}

/**
 * The IPv4 address, or the /48 of an IPv6 address. Anybody can get a /48 for free, with 65,536 networks. So a limit of a network is
 * either counted for its site, or has a second limit for it (security/network-budget.ts).
 */
export function siteOf(address: string | null): string {
  return leading(address, 3);
}

function leading(address: string | null, groups: number): string {
  if (address === null) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return parsed.parts
    .slice(0, groups)
    .map((group) => group.toString(16))
    .join(':');
}
