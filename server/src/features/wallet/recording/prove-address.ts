import type { Command } from './command.ts';
import { playerTypes, type WalletPlayer } from './ledger-state.ts';

/**
 * Makes the player of an address that a wallet login has shown, or finds the one who has it. A name and a password that
 * somebody else may have linked to the address before: the name stays, the password goes, and so do the tokens that it gave.
 */
export function proveAddress(address: string): Command<{ player: WalletPlayer }> {
  return {
    needs: { addresses: [address], playerIds: [address] },
    apply(state) {
      const known = state.findPlayerByAddress(address);
      if (known?.isVerified) return { answer: { player: known } };
      if (known) {
        const player = { ...known, isVerified: true };
        state.putPlayer(player);
        state.dropPassword(player.playerIndex);
        const { playerIndex } = player;
        return {
          entry: { kind: 'player.verified', playerIndex, body: { address } },
          answer: { player },
        };
      }
      return state.addPlayer({
        playerId: address,
        address,
        playerType: playerTypes.wallet,
        isVerified: true,
      });
    },
  };
}
