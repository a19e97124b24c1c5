import { randomId } from './random-id.ts';
import { createRenewal, type Refresh } from './session-renewal.ts';
import { createSessionStore } from './session-store.ts';
import type { ClientStorage } from './storage.ts';
import { isFresh, stored, type SessionEnd, type Stored, type Tokens } from './stored-session.ts';

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
  /** Ends the session here and returns it, so that the server can end it too. */
  end(): Promise<Stored<Identity> | undefined>;
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
  refresh: Refresh<Identity>;
}

export function createSession<Identity>({
  storage,
  key,
  refresh,
}: SessionOptions<Identity>): OwnSession<Identity> {
  const store = createSessionStore<Identity>(storage, key);
  const renew = createRenewal(store, refresh);
  const { subscribe, onSessionEnded, serverTime, end, close } = store;

  return {
    get current() {
      return store.held?.identity;
    },
    load: async () => {
      await store.load();
      return store.held?.identity;
    },
    start: async (tokens, identity) => {
      await store.load();
      await store.save(stored(tokens, identity, randomId(), 0));
    },
    update: async (identity) => {
      await store.reread();
      const { held, known } = store;
      // If another tab changed the session in between, its answer is the newer one.
      if (held && !(await store.save({ ...held, identity }, known))) await store.reread();
    },
    accessToken: async () => {
      await store.load();
      const { held } = store;
      return !held || isFresh(held) ? held?.accessToken : renew(held.accessToken);
    },
    renew: async (refused) => {
      await store.load();
      const { held } = store;
      return held && held.accessToken !== refused && isFresh(held) ? held.accessToken : renew(refused);
    },
    end,
    close,
    subscribe,
    onSessionEnded,
    serverTime,
  };
}
