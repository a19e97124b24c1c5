import type { Command } from './command.ts';
import type { Actor } from './ledger-state.ts';

/** Starts a single-player match session: when a level has loaded. */
export function startMatch(actor: Actor, level: string): Command<{ matchSessionId: number }> {
  const { playerIndex } = actor;
  return {
    needs: { players: [playerIndex] },
    apply(state) {
      state.actor(actor);
      const matchSessionId = state.next('matches');
      state.putMatch({ matchSessionId, playerIndex, playDataId: null, isEnded: false });
      return {
        entry: { kind: 'match.started', playerIndex, body: { matchSessionId, level } },
        answer: { matchSessionId },
      };
    },
  };
}
