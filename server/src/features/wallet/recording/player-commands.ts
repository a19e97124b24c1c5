import { playerCommand, type Command } from './command.ts';
import { playerTypes, type Actor, type WalletPlayer } from './ledger-state.ts';

/**
 * Finds or adds the player of an address that a wallet login has proved. Somebody else may have linked the address before, by
 * add/anon. Then the playerId stays, and the password and its tokens become invalid.
 */
export function proveAddress(address: string): Command<{ player: WalletPlayer }> {
  return {
    needs: { addresses: [address] },
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

/** Overwrites the player's score. */
export function setScore(actor: Actor, newScore: bigint): Command<{ playerIndex: number; newScore: bigint }> {
  return playerCommand(actor, {}, (state, player) => {
    state.putPlayer({ ...player, score: newScore });
    return {
      entry: { kind: 'player.scored', body: { score: String(newScore) } },
      answer: { playerIndex: player.playerIndex, newScore },
    };
  });
}
