import { GuildhallError } from './errors.ts';
import { createListeners } from './listeners.ts';
import { LAST_ATTEMPT_MS } from './refresh.ts';
import { clockOffset, serverTime } from './server-time.ts';
import type { ClientStorage } from './storage.ts';
import { randomId } from './random-id.ts';
import {
  endOf,
  isFresh,
  read,
  requireTokens,
  stored,
  textOfRefusal,
  type SessionEnd,
  type Stored,
  type Tokens,
} from './stored-session.ts';
import { LONGEST_ASKED_MS, wait, withJitter } from './waiting.ts';

/** A session that is kept in a storage and renewed when the access token expires. */
export interface Session<Identity> {
  /** Reads the stored session. The calls of a client do that by themselves. */
  load(): Promise<Identity | undefined>;
  /** The signed-in user, after `load` or the first request. */
  readonly current: Identity | undefined;
  /** Calls the listener at each change of `current`. Returns a function that ends this. */
  subscribe(listener: (current: Identity | undefined) => void): () => void;
  /**
   * Calls the listener when a session ends, and again if the person signs out after the server refused the session. Returns a function
   * that ends this.
   */
  onSessionEnded(listener: (end: SessionEnd) => void): () => void;
  /**
   * The time by the server's clock, if the last token says that the clock of this device is more than 5 minutes ahead or behind.
   * Otherwise the time of the device.
   */
  serverTime(): Date;
}

/** The parts of a session that only its own client uses. */
export interface OwnSession<Identity> extends Session<Identity> {
  start(tokens: Tokens, identity: Identity): Promise<void>;
  /** Ends the session here and returns its refresh token, so that the server can end it too. */
  end(): Promise<string | undefined>;
  /** Changes who is signed in, for example after a new name. */
  update(identity: Identity): Promise<void>;
  /** A token that is valid for some time, or undefined if nobody is signed in. */
  accessToken(): Promise<string | undefined>;
  /** Renews the session if `refused` is still its token. */
  renew(refused: string | undefined): Promise<string | undefined>;
  /** Stops noticing what other clients change. */
  close(): void;
}

export interface SessionOptions<Identity> {
  storage: ClientStorage;
  key: string;
  refresh(refreshToken: string, idempotencyKey: string): Promise<Tokens & { identity?: Identity }>;
}

/** The pauses between the attempts of a refresh. The server repeats its answer for 60 seconds, and LAST_ATTEMPT_MS limits all together. */
const REFRESH_PAUSES_MS = [250, 1_000, 3_000];
const LONGEST_PAUSE_MS = 10_000;

/** The functions that reread the sessions of this page, by storage and key. A storage notifies only other pages of a change. */
const pageSessions = new WeakMap<ClientStorage, Map<string, Set<() => void>>>();

function sessionsOf(storage: ClientStorage, key: string): Set<() => void> {
  const byKey = pageSessions.get(storage) ?? new Map<string, Set<() => void>>();
  const sessions = byKey.get(key) ?? new Set();
  pageSessions.set(storage, byKey.set(key, sessions));
  return sessions;
}

export function createSession<Identity>({
  storage,
  key,
  refresh,
}: SessionOptions<Identity>): OwnSession<Identity> {
  const changed = createListeners<Identity | undefined>();
  const ended = createListeners<SessionEnd>();
  let held: Stored<Identity> | undefined;
  /** The session that was held last. A game continues after its session has ended. */
  let last: Stored<Identity> | undefined;
  /** The offset of the device's clock when this page got the token of `last`. */
  let offset = 0;
  /** Whether the server refused the last session, and the person has not signed out since. */
  let isRefused = false;
  /** The text in the storage, as far as this page knows. `held` is newer if the storage refused it. */
  let knownText: string | undefined;
  const sessions = sessionsOf(storage, key);
  const rereadHere = () => void reread();
  let isWatching = false;
  let stopWatching: (() => void) | undefined;
  let loading: Promise<void> | undefined;
  let renewing: Promise<string | undefined> | undefined;
  /** The last refusal that asked to wait, until a time of `performance.now`. */
  let limited: { error: GuildhallError; until: number } | undefined;

  function setCurrent(next: Stored<Identity> | undefined, end: SessionEnd = { reason: 'signed_out' }): void {
    const before = held;
    held = next;
    if (next && next.accessToken !== last?.accessToken) offset = clockOffset();
    last = next ?? last;
    if (JSON.stringify(before?.identity) !== JSON.stringify(next?.identity)) changed.call(next?.identity);
    if (next) isRefused = false;
    else if (before || (isRefused && end.reason === 'signed_out')) {
      isRefused = end.reason === 'refused';
      ended.call(end);
    }
  }

  /**
   * Reads the storage, because another tab may have signed in, renewed or signed out. Returns false if it cannot be read, for
   * example in a frame without cookies. Then the session stays as this page knows it.
   */
  async function reread(): Promise<boolean> {
    let text: string | undefined;
    try {
      text = await storage.get(key);
    } catch {
      return false;
    }
    if (text !== knownText) {
      knownText = text;
      setCurrent(read(text), endOf(text));
    }
    return true;
  }

  /** Changes the stored text. Returns false if it is not the expected one, because another tab has changed it. */
  async function store(text: string | undefined, expected?: { text: string | undefined }): Promise<boolean> {
    const isDone = await storage.write({ [key]: text }, expected && { key, value: expected.text });
    if (!isDone) return false;
    knownText = text;
    for (const other of sessions) if (other !== rereadHere) other();
    return true;
  }

  /** A storage that cannot be changed keeps nobody signed in. */
  const remove = (expected?: { text: string | undefined }) => store(undefined, expected).catch(() => true);

  /**
   * Returns false if the session changed during the write, in this tab or in another one. A sign-in has no expected text, so it always
   * replaces the session.
   */
  async function save(next: Stored<Identity>, expected?: { text: string | undefined }): Promise<boolean> {
    const text = JSON.stringify(next);
    const replaced = held;
    const isLate = () => expected !== undefined && held !== replaced;
    try {
      if (!(await store(text, expected))) return false;
    } catch {
      // A full storage must not sign anybody out: the session lasts as long as this page. A later run must not find the refresh
      // token that is used by now, because its use would end the session on the server.
      if (!(await remove(expected)) || isLate()) return false;
      await store(text, { text: undefined }).catch(() => {});
    }
    if (isLate()) return false;
    setCurrent(next);
    return true;
  }

  /** Notices what other clients change, on this page and on others. */
  function watch(): void {
    sessions.add(rereadHere);
    try {
      stopWatching = storage.watch?.(key, rereadHere);
    } catch {
      // A browser that blocks the storage may block the channels between pages too.
    }
  }

  /** Reads the storage once. If it cannot be read, the next call tries again. */
  function load(): Promise<void> {
    if (!isWatching) watch();
    isWatching = true;
    loading ??= reread().then((isRead) => {
      if (!isRead) loading = undefined;
    });
    return loading;
  }

  async function renewOnce(refused: string | undefined): Promise<string | undefined> {
    const lastAttemptAt = performance.now() + LAST_ATTEMPT_MS;
    for (let attempt = 0; ; attempt++) {
      await reread();
      if (!held) return undefined;
      const expected = { text: knownText };
      const { accessToken, refreshToken, secret, refreshes, identity } = held;
      if (accessToken !== refused && isFresh(held)) return accessToken;
      if (limited && performance.now() < limited.until) throw limited.error;
      let answer;
      try {
        answer = requireTokens(await refresh(refreshToken, `${secret}-${refreshes}`));
      } catch (error) {
        if (!(error instanceof GuildhallError)) throw error;
        if (isAboutSession(error)) {
          await refuse(refreshToken, error);
          if (!held) return undefined;
          // Another tab renewed the session in the meantime, or somebody else has signed in.
          continue;
        }
        const asked = (error.retryAfter ?? 0) * 1_000;
        // The repetition of a refresh that may have been carried out must not wait so long.
        if (!error.isUncertain)
          limited = { error, until: performance.now() + withJitter(Math.min(asked, LONGEST_ASKED_MS)) };
        const pause = REFRESH_PAUSES_MS[attempt];
        if (pause === undefined || !error.isUncertain) throw error;
        const pauseMs = withJitter(Math.max(pause, Math.min(asked, LONGEST_PAUSE_MS)));
        if (performance.now() + pauseMs > lastAttemptAt) throw error;
        await wait(pauseMs);
        continue;
      }
      // Somebody else has signed in, or the person has signed out.
      if (held?.refreshToken !== refreshToken) continue;
      const next = stored(answer, answer.identity ?? identity, secret, refreshes + 1);
      // If another tab was faster, its session is the one to use.
      if (await save(next, expected)) return next.accessToken;
    }
  }

  /** All callers share one request. */
  function renewTogether(refused: string | undefined): Promise<string | undefined> {
    return (renewing ??= renewOnce(refused).finally(() => (renewing = undefined)));
  }

  /** Ends the session, unless this page or another tab has replaced it. */
  async function refuse(refreshToken: string, error: GuildhallError): Promise<void> {
    const isReplaced = () => held?.refreshToken !== refreshToken;
    await reread();
    if (isReplaced()) return;
    const expected = { text: knownText };
    const isStored = await store(textOfRefusal(error), expected).catch(() => remove(expected));
    if (isReplaced()) return;
    if (isStored) setCurrent(undefined, { reason: 'refused', error });
    else await reread();
  }

  return {
    get current() {
      return held?.identity;
    },
    load: async () => {
      await load();
      return held?.identity;
    },
    subscribe: (listener) => changed.add(listener),
    onSessionEnded: (listener) => ended.add(listener),
    serverTime: () => serverTime(last, offset),
    start: async (tokens, identity) => {
      await load();
      await save(stored(tokens, identity, randomId(), 0));
    },
    update: async (identity) => {
      await reread();
      // If another tab changed the session in between, its answer is the newer one.
      if (held && !(await save({ ...held, identity }, { text: knownText }))) await reread();
    },
    end: async () => {
      await load();
      const before = held;
      // Before the storage answers, so that a refresh that is being stored notices it.
      setCurrent(undefined);
      await remove();
      // A read that began before the removal may have brought the session back.
      if (before && held?.secret === before.secret) setCurrent(undefined);
      return before?.refreshToken;
    },
    accessToken: async () => {
      await load();
      if (!held || isFresh(held)) return held?.accessToken;
      return renewTogether(held.accessToken);
    },
    renew: async (refused) => {
      await load();
      if (held && held.accessToken !== refused && isFresh(held)) return held.accessToken;
      return renewTogether(refused);
    },
    close: () => {
      sessions.delete(rereadHere);
      stopWatching?.();
    },
  };
}

/** A game key that does not work, and a gateway that answers instead of the server, say nothing about the session. */
export function isAboutSession({ status, code }: GuildhallError): boolean {
  return (
    (status === 401 || status === 403) &&
    !['unexpected_answer', 'missing_game_key', 'invalid_game_key'].includes(code)
  );
}
