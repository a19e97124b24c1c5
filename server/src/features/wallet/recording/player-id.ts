import { evmAddress } from '../../../core/evm-address.ts';

/** The stored form of a playerId: trimmed, in Unicode NFC, case-sensitive. An address gets its checksum. */
export function normalisePlayerId(name: string): string {
  const trimmed = name.trim();
  return evmAddress(trimmed) ?? trimmed.normalize('NFC');
}
