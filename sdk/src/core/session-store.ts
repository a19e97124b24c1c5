import type { GuildhallError } from './errors.ts';
import { createListeners } from './listeners.ts';
import { clockOffset, serverTime } from './server-time.ts';
import { createSharedText, type KnownText } from './shared-text.ts';
import type { ClientStorage } from './storage.ts';
import { endOf, read, textOfRefusal, type SessionEnd, type Stored } from './stored-session.ts';

/** The session of this page. It is the one in the storage, unless the storage refused it: then the session ends with the page. */
export interface SessionStore<Identity> {
  readonly held: Stored<Identity> | undefined;
  /** The text in the storage, as this page knows it. */
  readonly known: KnownText;
  /** Reads the storage once. */
  load(): Promise<void>;
  /** Reads the storage again. */
  reread(): Promise<unknown>;
  /**
   * Returns false if the session changed during the write, in this tab or in another one. A sign-in has no expected text, so it always
   * replaces the session.
   */
  save(next: Stored<Identity>, expected?: KnownText): Promise<boolean>;
  /** Ends the session that the server refused, unless this page or another tab has replaced it. */
  refuse(refreshToken: string, error: GuildhallError): Promise<void>;
  /** Ends the session here and returns it. */
  end(): Promise<Stored<Identity> | undefined>;
  /** Stops noticing what other clients change. */
  close(): void;
  subscribe(listener: (current: Identity | undefined) => void): () => void;
  onSessionEnded(listener: (end: SessionEnd) => void): () => void;
  serverTime(): Date;
}

export function createSessionStore<Identity>(storage: ClientStorage, key: string): SessionStore<Identity> {
  const shared = createSharedText(storage, key, (text) => hold(read(text), endOf(text)));
  const changed = createListeners<Identity | undefined>();
  const ended = createListeners<SessionEnd>();
  let held: Stored<Identity> | undefined;
  /** The session that was held last. A game continues after its session has ended. */
  let last: Stored<Identity> | undefined;
  /** The offset of the device's clock when this page got the token of `last`. */
  let offset = 0;
  /** Whether the server refused the last session, and the person has not signed out since. */
  let isRefused = false;

  /** Replaces the session of this page. Without a next one, it has ended. */
  function hold(next: Stored<Identity> | undefined, why: SessionEnd = { reason: 'signed_out' }): void {
    const before = held;
    held = next;
    if (next && next.accessToken !== last?.accessToken) offset = clockOffset();
    last = next ?? last;
    if (JSON.stringify(before?.identity) !== JSON.stringify(next?.identity)) changed.call(next?.identity);
    if (next) isRefused = false;
    else if (before || (isRefused && why.reason === 'signed_out')) {
      isRefused = why.reason === 'refused';
      ended.call(why);
    }
  }

  /** If the storage cannot be written, the session ends with the page. */
  const remove = (expected?: KnownText) => shared.write(undefined, expected).catch(() => true);

  async function save(next: Stored<Identity>, expected?: KnownText): Promise<boolean> {
    const text = JSON.stringify(next);
    const replaced = held;
    const isLate = () => expected !== undefined && held !== replaced;
    try {
      if (!(await shared.write(text, expected))) return false;
    } catch {
      // A full storage must not sign anybody out: the session lasts as long as this page. A later run must not find the refresh
      // token that is used by now, because its use would end the session on the server.
      if (!(await remove(expected)) || isLate()) return false;
      await shared.write(text, { text: undefined }).catch(() => {});
    }
    if (isLate()) return false;
    hold(next);
    return true;
  }

  async function refuse(refreshToken: string, error: GuildhallError): Promise<void> {
    const isReplaced = () => held?.refreshToken !== refreshToken;
    await shared.reread();
    if (isReplaced()) return;
    const { known } = shared;
    const isStored = await shared.write(textOfRefusal(error), known).catch(() => remove(known));
    if (isReplaced()) return;
    if (isStored) hold(undefined, { reason: 'refused', error });
    else await shared.reread();
  }

  async function end(): Promise<Stored<Identity> | undefined> {
    await shared.load();
    const before = held;
    // Before the storage answers, so that a refresh that is being stored notices it.
    hold(undefined);
    await remove();
    // A read that began before the removal may have brought the session back.
    if (before && held?.secret === before.secret) hold(undefined);
    return before;
  }

  const { load, reread, close } = shared;
  return {
    get held() {
      return held;
    },
    get known() {
      return shared.known;
    },
    load,
    reread,
    save,
    refuse,
    end,
    close,
    subscribe: changed.add,
    onSessionEnded: ended.add,
    serverTime: () => serverTime(last, offset),
  };
}
