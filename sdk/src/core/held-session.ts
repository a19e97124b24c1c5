import { createListeners } from './listeners.ts';
import { clockOffset, serverTime } from './server-time.ts';
import type { SessionEnd, Stored } from './stored-session.ts';

/** The session that this page has in memory, and the listeners to its changes. */
export interface HeldSession<Identity> {
  readonly now: Stored<Identity> | undefined;
  /** Replaces the session. Without a next one, it has ended. */
  set(next: Stored<Identity> | undefined, end?: SessionEnd): void;
  subscribe(listener: (current: Identity | undefined) => void): () => void;
  onSessionEnded(listener: (end: SessionEnd) => void): () => void;
  serverTime(): Date;
}

export function createHeldSession<Identity>(): HeldSession<Identity> {
  const changed = createListeners<Identity | undefined>();
  const ended = createListeners<SessionEnd>();
  let now: Stored<Identity> | undefined;
  /** The session that was held last. A game continues after its session has ended. */
  let last: Stored<Identity> | undefined;
  /** The offset of the device's clock when this page got the token of `last`. */
  let offset = 0;
  /** Whether the server refused the last session, and the person has not signed out since. */
  let isRefused = false;

  return {
    get now() {
      return now;
    },
    set: (next, end = { reason: 'signed_out' }) => {
      const before = now;
      now = next;
      if (next && next.accessToken !== last?.accessToken) offset = clockOffset();
      last = next ?? last;
      if (JSON.stringify(before?.identity) !== JSON.stringify(next?.identity)) changed.call(next?.identity);
      if (next) isRefused = false;
      else if (before || (isRefused && end.reason === 'signed_out')) {
        isRefused = end.reason === 'refused';
        ended.call(end);
      }
    },
    subscribe: (listener) => changed.add(listener),
    onSessionEnded: (listener) => ended.add(listener),
    serverTime: () => serverTime(last, offset),
  };
}
