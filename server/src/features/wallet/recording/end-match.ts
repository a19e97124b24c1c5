import { ProblemError } from '../../../core/problem.ts';
import type { Command } from './command.ts';
import type { Actor } from './ledger-state.ts';

/** Ends a match of the player's own, once their part in it has ended. */
export function endMatch(actor: Actor, matchSessionId: number): Command<{ playDataId: number }> {
  const { playerIndex } = actor;
  return {
    needs: { players: [playerIndex], matches: [matchSessionId] },
    apply(state) {
      const match = state.openMatch(state.actor(actor), matchSessionId);
      const { playDataId } = match;
      if (playDataId === null)
        throw new ProblemError(
          'conflict',
          'The part of the player in the match has not ended. End it first.',
        );
      state.putMatch({ ...match, isEnded: true });
      return {
        entry: { kind: 'match.ended', playerIndex, body: { matchSessionId, playDataId } },
        answer: { playDataId },
      };
    },
  };
}
