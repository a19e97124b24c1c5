import type { Database } from '../../../database/database.ts';
import { hashPassword } from '../../../security/passwords.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { requireEvmAddress } from '../../../core/evm-address.ts';
import { invalidField, ProblemError } from '../../../core/problem.ts';
import type { Command } from './command.ts';
import type { Recorded, WalletLedger } from './ledger.ts';
import { playerTypes, type WalletPlayer } from './ledger-state.ts';
import { normalisePlayerId, requirePlayerId } from './player-id.ts';
import { findPlayers } from './state-queries.ts';

interface NewAnonymousPlayer {
  playerId: string;
  playerAddress: string;
  signInPassword: string;
}

/**
 * Adds a player with a playerId, an unproven address and a password. Throws invalid_request if the address is invalid or the
 * playerId looks like another address. Throws player_exists if the playerId or the address is taken.
 */
export async function addAnonymousPlayer(
  { database, ledger }: { database: Database; ledger: WalletLedger },
  { billing, ipAddress }: { billing: BillingContext; ipAddress: string | null },
  given: NewAnonymousPlayer,
): Promise<Recorded<{ playerIndex: number }>> {
  const { tenantId } = billing;
  const address = requireEvmAddress(given.playerAddress, 'playerAddress');
  const playerId = playerIdOf(given.playerId, address);

  // Checked before the expensive password hash.
  const names = { playerIds: [playerId], addresses: [address] };
  refuseIfTaken(await findPlayers(database.forTenant(tenantId), tenantId, names), { playerId, address });

  const passwordHash = await hashPassword(given.signInPassword, ipAddress);
  const { transactionHash, player } = await ledger.record(
    tenantId,
    addPlayer({ playerId, address }, passwordHash),
    billing,
  );
  return { transactionHash, playerIndex: player.playerIndex };
}

/** With any checksum, because people do not check it. */
const ADDRESS_FORM = /^0x[0-9a-f]{40}$/i;

/** A playerId in the form of an address is reserved for the owner of the address, because a first wallet login uses it. */
function playerIdOf(name: string, address: string): string {
  const playerId = normalisePlayerId(name);
  requirePlayerId(playerId);
  if (playerId !== address && ADDRESS_FORM.test(playerId))
    throw invalidField('playerId', 'must equal playerAddress if it looks like an address');
  return playerId;
}

/** Adds a player with a password. Throws player_exists if the playerId or the address is taken. */
export function addPlayer(
  { playerId, address }: { playerId: string; address: string },
  passwordHash: string,
): Command<{ player: WalletPlayer }> {
  return {
    needs: { playerIds: [playerId], addresses: [address] },
    apply(state) {
      const taken = [state.findPlayerById(playerId), state.findPlayerByAddress(address)];
      refuseIfTaken(
        taken.filter((player) => player !== undefined),
        { playerId, address },
      );
      const added = state.addPlayer({
        playerId,
        address,
        playerType: playerTypes.anonymous,
        isVerified: false,
      });
      state.setPassword(added.answer.player.playerIndex, passwordHash);
      return added;
    },
  };
}

function refuseIfTaken(players: WalletPlayer[], wanted: { playerId: string; address: string }): void {
  if (players.some(({ playerId }) => playerId === wanted.playerId))
    throw new ProblemError('player_exists', 'The playerId is taken. Choose another one, or sign in.');
  if (players.some(({ address }) => address === wanted.address))
    throw new ProblemError('player_exists', 'The address is already linked to a player.');
}
