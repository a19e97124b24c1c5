import { ProblemError } from '../../../core/problem.ts';
import type { Command } from './command.ts';
import type { Actor } from './ledger-state.ts';

export interface GivenPart {
  matchSessionId: number;
  score: bigint;
  winLoss: number;
  matchPosition: number;
}

/** Ends the player's part in a match of their own: what they have done in it gets its number, and no record is added any more. */
export function endPart(
  actor: Actor,
  { matchSessionId, score, winLoss, matchPosition }: GivenPart,
): Command<{ playDataId: number; playerIndex: number }> {
  const { playerIndex } = actor;
  return {
    needs: { players: [playerIndex], matches: [matchSessionId] },
    apply(state) {
      const match = state.openMatch(state.actor(actor), matchSessionId);
      if (match.playDataId !== null)
        throw new ProblemError('match_ended', 'The part of the player in the match has ended.');
      const playDataId = state.next('playData');
      state.putMatch({ ...match, playDataId });
      const body = { playDataId, matchSessionId, score: String(score), winLoss, matchPosition };
      return {
        entry: { kind: 'match.player_ended', playerIndex, body },
        answer: { playDataId, playerIndex },
      };
    },
  };
}
