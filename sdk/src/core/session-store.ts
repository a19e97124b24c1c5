import type { GuildhallError } from './errors.ts';
import { createHeldSession, type HeldSession } from './held-session.ts';
import { createSharedText, type KnownText, type SharedText } from './shared-text.ts';
import type { ClientStorage } from './storage.ts';
import { endOf, read, textOfRefusal, type Stored } from './stored-session.ts';

/** The session of this page. It is the one in the storage, unless the storage refused it: then the session ends with the page. */
export interface SessionStore<Identity>
  extends
    Pick<HeldSession<Identity>, 'subscribe' | 'onSessionEnded' | 'serverTime'>,
    Pick<SharedText, 'known' | 'load' | 'reread' | 'close'> {
  readonly held: Stored<Identity> | undefined;
  /**
   * Returns false if the session changed during the write, in this tab or in another one. A sign-in has no expected text, so it always
   * replaces the session.
   */
  save(next: Stored<Identity>, expected?: KnownText): Promise<boolean>;
  /** Ends the session that the server refused, unless this page or another tab has replaced it. */
  refuse(refreshToken: string, error: GuildhallError): Promise<void>;
  /** Ends the session here and returns it. */
  end(): Promise<Stored<Identity> | undefined>;
}

export function createSessionStore<Identity>(storage: ClientStorage, key: string): SessionStore<Identity> {
  const held = createHeldSession<Identity>();
  const shared = createSharedText(storage, key, (text) => held.set(read(text), endOf(text)));

  /** If the storage cannot be written, the session ends with the page. */
  const remove = (expected?: KnownText) => shared.write(undefined, expected).catch(() => true);

  async function save(next: Stored<Identity>, expected?: KnownText): Promise<boolean> {
    const text = JSON.stringify(next);
    const replaced = held.now;
    const isLate = () => expected !== undefined && held.now !== replaced;
    try {
      if (!(await shared.write(text, expected))) return false;
    } catch {
      // A full storage must not sign anybody out: the session lasts as long as this page. A later run must not find the refresh
      // token that is used by now, because its use would end the session on the server.
      if (!(await remove(expected)) || isLate()) return false;
      await shared.write(text, { text: undefined }).catch(() => {});
    }
    if (isLate()) return false;
    held.set(next);
    return true;
  }

  async function refuse(refreshToken: string, error: GuildhallError): Promise<void> {
    const isReplaced = () => held.now?.refreshToken !== refreshToken;
    await shared.reread();
    if (isReplaced()) return;
    const { known } = shared;
    const isStored = await shared.write(textOfRefusal(error), known).catch(() => remove(known));
    if (isReplaced()) return;
    if (isStored) held.set(undefined, { reason: 'refused', error });
    else await shared.reread();
  }

  async function end(): Promise<Stored<Identity> | undefined> {
    await shared.load();
    const before = held.now;
    // Before the storage answers, so that a refresh that is being stored notices it.
    held.set(undefined);
    await remove();
    // A read that began before the removal may have brought the session back.
    if (before && held.now?.secret === before.secret) held.set(undefined);
    return before;
  }

  const { subscribe, onSessionEnded, serverTime } = held;
  const { load, reread, close } = shared;
  return {
    get held() {
      return held.now;
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
    subscribe,
    onSessionEnded,
    serverTime,
  };
}
