import { getAddress, isAddress, zeroAddress, type Address } from 'viem';

/**
 * Parses an EVM address and returns it with its EIP-55 checksum. Digits in mixed case must have the right checksum.
 * Digits in one case have none. Returns undefined for any other text, and for the zero address, which has no owner.
 */
export function evmAddress(text: string): Address | undefined {
  const digits = /^0x([0-9a-f]{40})$/i.exec(text)?.[1];
  if (!digits) return undefined;
  const plain: Address = `0x${digits.toLowerCase()}`;
  const isPlain = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return plain !== zeroAddress && (isPlain || isAddress(text)) ? getAddress(plain) : undefined;
}
