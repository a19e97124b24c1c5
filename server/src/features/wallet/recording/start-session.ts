import type { Command } from './command.ts';
import type { Actor } from './ledger-state.ts';

/** Starts a login session: once each time the game is opened. A player may have any number at once. */
export function startSession(
  actor: Actor,
  { device, startTime }: { device: string; startTime: number },
): Command<{ sessionId: number }> {
  const { playerIndex } = actor;
  return {
    needs: { players: [playerIndex] },
    apply(state) {
      state.actor(actor);
      const sessionId = state.next('sessions');
      state.putSession({ sessionId, playerIndex, startTime, endTime: null });
      return {
        entry: { kind: 'session.started', playerIndex, body: { sessionId, device, startTime } },
        answer: { sessionId },
      };
    },
  };
}
