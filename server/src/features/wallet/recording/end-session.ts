import { ProblemError } from '../../../core/problem.ts';
import type { Command } from './command.ts';
import type { Actor } from './ledger-state.ts';

/**
 * Ends a login session of the player's own, now. One that has ended, or whose start as the game said it is still to come, is a
 * conflict.
 */
export function endSession(actor: Actor, sessionId: number): Command<object> {
  const { playerIndex } = actor;
  return {
    needs: { players: [playerIndex], sessions: [sessionId] },
    apply(state) {
      const session = state.session(state.actor(actor), sessionId);
      if (session.endTime !== null) throw new ProblemError('conflict', 'The login session has ended.');
      const endTime = Math.floor(Date.parse(state.now) / 1000);
      if (endTime < session.startTime)
        throw new ProblemError('conflict', 'The login session starts in the future, so it cannot end now.');
      state.putSession({ ...session, endTime });
      return { entry: { kind: 'session.ended', playerIndex, body: { sessionId, endTime } }, answer: {} };
    },
  };
}
