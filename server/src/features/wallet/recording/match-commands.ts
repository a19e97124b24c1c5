import { ProblemError } from '../../../core/problem.ts';
import type { Actor, Command } from './ledger-state.ts';

/** Starts a single-player match session. */
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

export interface GivenPart {
  matchSessionId: number;
  score: bigint;
  winLoss: number;
  matchPosition: number;
}

/** Ends the player's part in their own match and assigns its playDataId. No record can be added afterwards. */
export function endPart(
  actor: Actor,
  { matchSessionId, score, winLoss, matchPosition }: GivenPart,
): Command<{ playDataId: number; playerIndex: number }> {
  const { playerIndex } = actor;
  return {
    needs: { players: [playerIndex], matches: [matchSessionId] },
    apply(state) {
      const match = state.openPart(state.actor(actor), matchSessionId);
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

/** Ends the player's own match. Throws conflict if the player's part in it has not ended. */
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
