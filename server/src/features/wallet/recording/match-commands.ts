import { ProblemError } from '../../../core/problem.ts';
import { playerCommand, type Command } from './command.ts';
import type { Actor } from './ledger-state.ts';

/** Starts a single-player match session. */
export function startMatch(actor: Actor, level: string): Command<{ matchSessionId: number }> {
  return playerCommand(actor, {}, (state, { playerIndex }) => {
    const matchSessionId = state.next('matches');
    state.putMatch({ matchSessionId, playerIndex, playDataId: null, isEnded: false });
    return { entry: { kind: 'match.started', body: { matchSessionId, level } }, answer: { matchSessionId } };
  });
}

interface GivenPart {
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
  return playerCommand(actor, { matches: [matchSessionId] }, (state, player) => {
    const match = state.openPart(player, matchSessionId);
    const playDataId = state.next('playData');
    state.putMatch({ ...match, playDataId });
    const body = { playDataId, matchSessionId, score: String(score), winLoss, matchPosition };
    return {
      entry: { kind: 'match.player_ended', body },
      answer: { playDataId, playerIndex: player.playerIndex },
    };
  });
}

/** Ends the player's own match. Throws conflict if the player's part in it has not ended. */
export function endMatch(actor: Actor, matchSessionId: number): Command<{ playDataId: number }> {
  return playerCommand(actor, { matches: [matchSessionId] }, (state, player) => {
    const match = state.openMatch(player, matchSessionId);
    const { playDataId } = match;
    if (playDataId === null)
      throw new ProblemError('conflict', 'The part of the player in the match has not ended. End it first.');
    state.putMatch({ ...match, isEnded: true });
    return { entry: { kind: 'match.ended', body: { matchSessionId, playDataId } }, answer: { playDataId } };
  });
}
