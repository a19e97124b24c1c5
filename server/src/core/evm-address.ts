import type { Address } from 'viem';
import { getAddress, isAddress } from 'viem/utils';
import { invalidField } from './problem.ts';

/**
 * Parses an EVM address and returns it with its EIP-55 checksum. Digits in mixed case must have the right checksum.
 * Digits in one case have none. Returns undefined for any other text, and for the zero address, which has no owner.
 */
export function evmAddress(text: string): Address | undefined {
  const digits = /^0x([0-9a-f]{40})$/i.exec(text)?.[1];
  if (!digits) return undefined;
  const plain: Address = `0x${digits.toLowerCase()}`;
  const isPlain = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  const isZero = /^0+$/.test(digits);
  return !isZero && (isPlain || isAddress(text)) ? getAddress(plain) : undefined;
}

/** Parses the address in a field of a request. Throws invalid_request with the field's path. */
export function requireEvmAddress(text: string, path: string): Address {
  const address = evmAddress(text);
  if (!address)
    throw invalidField(path, 'must be an EVM address, of one letter case or with the checksum of EIP-55');
  return address;
}
