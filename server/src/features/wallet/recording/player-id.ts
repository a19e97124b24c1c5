import { evmAddress } from '../../../core/evm-address.ts';

/** A name as it is stored and compared: trimmed, in Unicode NFC; an address with its checksum. EmailContent case matters. */
export function normalisePlayerId(name: string): string {
  const trimmed = name.trim();
  return evmAddress(trimmed) ?? trimmed.normalize('NFC');
}
