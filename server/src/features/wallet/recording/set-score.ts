import type { Command } from './command.ts';
import type { Actor } from './ledger-state.ts';

/** Overwrites the player's score. */
export function setScore(actor: Actor, newScore: bigint): Command<{ playerIndex: number; newScore: bigint }> {
  const { playerIndex } = actor;
  return {
    needs: { players: [playerIndex] },
    apply(state) {
      state.putPlayer({ ...state.actor(actor), score: newScore });
      return {
        entry: { kind: 'player.scored', playerIndex, body: { score: String(newScore) } },
        answer: { playerIndex, newScore },
      };
    },
  };
}
