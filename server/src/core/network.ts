import { isIPv4 } from 'node:net';

/**
 * The network that counts as one caller: an IPv4 address, or the /64 of an IPv6 address, because one client usually has
 * a whole /64.
 */
export function networkOf(address: string | null): string {
  if (address === null) return 'unknown';
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  if (isIPv4(plain)) return plain;
  const [start = '', end] = plain.split('::');
  const groups = start.split(':').filter(Boolean);
  const zeros = end === undefined ? 0 : 8 - groups.length - end.split(':').filter(Boolean).length;
  return [...groups, ...Array(zeros).fill('0'), ...(end ?? '').split(':')].slice(0, 4).join(':');
}
