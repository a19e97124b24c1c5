import { ProblemError } from '../../../core/problem.ts';
import { playerCommand, type Command } from './command.ts';
import type { Actor } from './ledger-state.ts';

/** Starts a login session. A player may have any number of open sessions. */
export function startSession(
  actor: Actor,
  { device, startTime }: { device: string; startTime: number },
): Command<{ sessionId: number }> {
  return playerCommand(actor, {}, (state, { playerIndex }) => {
    const sessionId = state.next('sessions');
    state.putSession({ sessionId, playerIndex, startTime, endTime: null });
    return {
      entry: { kind: 'session.started', body: { sessionId, device, startTime } },
      answer: { sessionId },
    };
  });
}

/**
 * Ends the player's own login session at the current time. Throws conflict if it has ended, or if its startTime is in the
 * future.
 */
export function endSession(actor: Actor, sessionId: number): Command<object> {
  return playerCommand(actor, { sessions: [sessionId] }, (state, player) => {
    const session = state.session(player, sessionId);
    if (session.endTime !== null) throw new ProblemError('conflict', 'The login session has ended.');
    const endTime = Math.floor(Date.parse(state.now) / 1000);
    if (endTime < session.startTime)
      throw new ProblemError('conflict', 'The login session starts in the future, so it cannot end now.');
    state.putSession({ ...session, endTime });
    return { entry: { kind: 'session.ended', body: { sessionId, endTime } }, answer: {} };
  });
}
