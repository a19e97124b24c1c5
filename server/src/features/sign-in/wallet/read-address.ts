import type { Address } from 'viem';
import { evmAddress } from '../../../core/evm-address.ts';
import { invalidField } from '../../../core/problem.ts';

/** The address that a field of a request holds. Throws invalid_request, with the field's path. */
export function readAddress(text: string, path: string): Address {
  const address = evmAddress(text);
  if (!address)
    throw invalidField(path, 'must be an address, of one letter case or with the checksum of EIP-55');
  return address;
}
