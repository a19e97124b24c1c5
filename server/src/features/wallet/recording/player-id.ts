import { requireDisplayName } from '../../../core/display-name.ts';
import { evmAddress } from '../../../core/evm-address.ts';
import { invalidField } from '../../../core/problem.ts';
import { codePoints } from '../../../core/text.ts';

/** In characters, before and after Unicode NFC. */
export const MAX_PLAYER_ID = 64;

/** The stored form of a playerId: trimmed, in Unicode NFC, case-sensitive. An address gets its checksum. */
export function normalisePlayerId(name: string): string {
  const trimmed = name.trim();
  return evmAddress(trimmed) ?? trimmed.normalize('NFC');
}

/** White space other than single spaces, and characters without a shape. With them, two names could look alike. */
const AMBIGUOUS = /[^\S ]| {2}|\u2800|\p{Default_Ignorable_Code_Point}/u;

/** Throws invalid_request for a stored form that cannot be a playerId. A playerId stays in the ledger permanently. */
export function requirePlayerId(playerId: string): void {
  // The limit is checked after normalisation, because Unicode NFC turns some characters into up to three.
  if (codePoints(playerId) > MAX_PLAYER_ID)
    throw invalidField('playerId', `must have at most ${MAX_PLAYER_ID} characters`);
  requireDisplayName(playerId, 'playerId');
  if (AMBIGUOUS.test(playerId))
    throw invalidField(
      'playerId',
      'must have no invisible character, and no white space other than single spaces',
    );
  // Clients and proxies remove "." and ".." from the path of a URL, so nobody could look up such a player.
  if (playerId === '.' || playerId === '..') throw invalidField('playerId', 'must not be "." or ".."');
}
