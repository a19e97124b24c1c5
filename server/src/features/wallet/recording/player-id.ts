import { evmAddress } from '../../../core/evm-address.ts';

/** In characters, before and after Unicode NFC. */
export const MAX_PLAYER_ID = 64;

/** The stored form of a playerId: trimmed, in Unicode NFC, case-sensitive. An address gets its checksum. */
export function normalisePlayerId(name: string): string {
  const trimmed = name.trim();
  return evmAddress(trimmed) ?? trimmed.normalize('NFC');
}
