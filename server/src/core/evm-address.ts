import { getAddress, isAddress, zeroAddress, type Address } from 'viem';

/**
 * An EVM address in its one spelling with the checksum of EIP-55. Digits all of one letter case carry no checksum; where
 * they are mixed it must be right. Undefined for anything else, and for the zero address, which is nobody's.
 */
export function evmAddress(text: string): Address | undefined {
  const digits = /^0x([0-9a-f]{40})$/i.exec(text)?.[1];
  if (!digits) return undefined;
  const plain: Address = `0x${digits.toLowerCase()}`;
  const isPlain = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return plain !== zeroAddress && (isPlain || isAddress(text)) ? getAddress(plain) : undefined;
}
