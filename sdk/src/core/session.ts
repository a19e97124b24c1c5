import { clientError, GuildhallError } from './errors.ts';
import { createListeners } from './listeners.ts';
import type { ClientStorage } from './storage.ts';
import { randomId, wait } from './waiting.ts';

/** The answer of a sign-in or a refresh. */
export interface Tokens {
  accessToken: string;
  refreshToken: string;
  /** Seconds. */
  expiresIn: number;
}

/** Why a session ended: the person signed out (here or in another tab), or the server refused to renew it. */
export interface SessionEnd {
  reason: 'signed_out' | 'refused';
  /** The refusal of the server, such as `invalid_refresh_token` or `player_banned`. */
  error?: GuildhallError;
}

/** Who is signed in, kept in a storage and renewed when the access token expires. */
export interface Session<Identity> {
  /** Reads the stored session. The calls of a client do that by themselves. */
  load(): Promise<Identity | undefined>;
  /** Who is signed in, after `load` or the first request. */
  readonly current: Identity | undefined;
  /** Calls the listener at each change of `current`. Returns a function that ends this. */
  subscribe(listener: (current: Identity | undefined) => void): () => void;
  /** Calls the listener when a session ends. Returns a function that ends this. */
  onSessionEnded(listener: (end: SessionEnd) => void): () => void;
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
  /** Renews the session if `refused` is still its token. All callers share one request. */
  renew(refused: string | undefined): Promise<string | undefined>;
}

interface Stored<Identity> extends Tokens {
  identity: Identity;
  /** Milliseconds since 1970, by the clock of this device. */
  expiresAt: number;
  /**
   * Names the session in the `Idempotency-Key` of its refreshes. With the count of refreshes, all tabs send the same key for
   * one refresh token, also after a restart, and get the same answer. Nobody who has only the token knows it.
   */
  secret: string;
  refreshes: number;
}

export interface SessionOptions<Identity> {
  storage: ClientStorage;
  key: string;
  refresh(refreshToken: string, idempotencyKey: string): Promise<Tokens & { identity?: Identity }>;
}

/** A token that expires within this time is renewed before it is used. */
const RENEW_EARLY_MS = 30_000;

/** The server repeats the answer of a refresh for 60 seconds. These attempts end before. */
const REFRESH_PAUSES_MS = [250, 1_000, 3_000];
const LONGEST_PAUSE_SECONDS = 10;

export function createSession<Identity>({
  storage,
  key,
  refresh,
}: SessionOptions<Identity>): OwnSession<Identity> {
  const changed = createListeners<Identity | undefined>();
  const ended = createListeners<SessionEnd>();
  let held: Stored<Identity> | undefined;
  /** The stored text that `held` replaced, if the storage refused the new one. */
  let unsaved: { before: string | undefined } | undefined;
  let loading: Promise<void> | undefined;
  let renewing: Promise<string | undefined> | undefined;

  function hold(next: Stored<Identity> | undefined, end: SessionEnd = { reason: 'signed_out' }): void {
    const before = held;
    held = next;
    if (JSON.stringify(before?.identity) !== JSON.stringify(next?.identity)) changed.call(next?.identity);
    if (before && !next) ended.call(end);
  }

  /** Reads the storage, because another tab may have signed in, renewed or signed out. */
  async function reread(): Promise<string | undefined> {
    const text = await storage.get(key);
    if (!unsaved || unsaved.before !== text) {
      unsaved = undefined;
      hold(read<Identity>(text));
    }
    return text;
  }

  async function save(next: Stored<Identity>, before?: { text: string | undefined }): Promise<boolean> {
    try {
      const onlyIf = before && { key, value: before.text };
      if (!(await storage.write({ [key]: JSON.stringify(next) }, onlyIf))) return false;
      unsaved = undefined;
    } catch {
      // A full storage must not sign anybody out: the session lasts as long as this page.
      unsaved = { before: before ? before.text : await storage.get(key).catch(() => undefined) };
    }
    hold(next);
    return true;
  }

  async function load(): Promise<void> {
    if (!loading) {
      loading = reread().then(() => undefined);
      loading.catch(() => (loading = undefined));
      storage.watch?.(() => void reread().catch(() => {}));
    }
    return loading;
  }

  async function renewOnce(refused: string | undefined): Promise<string | undefined> {
    for (let attempt = 0; ; attempt++) {
      const text = await reread();
      if (!held) return undefined;
      const { accessToken, refreshToken, secret, refreshes, identity } = held;
      if (accessToken !== refused && isFresh(held)) return accessToken;
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
        const pause = REFRESH_PAUSES_MS[attempt];
        if (pause === undefined || !error.isUncertain) throw error;
        await wait(Math.max(pause, Math.min(error.retryAfter ?? 0, LONGEST_PAUSE_SECONDS) * 1000));
        continue;
      }
      // Somebody else has signed in, or the person has signed out.
      if (held?.refreshToken !== refreshToken) continue;
      const next = stored(answer, answer.identity ?? identity, secret, refreshes + 1);
      // If another tab was faster, its session is the one to use.
      if (await save(next, { text })) return next.accessToken;
    }
  }

  /** Ends the session, unless this page or another tab has replaced it. */
  async function refuse(refreshToken: string, error: GuildhallError): Promise<void> {
    const isReplaced = () => held?.refreshToken !== refreshToken;
    const text = await storage.get(key);
    if (isReplaced()) return;
    const other = read<Identity>(text);
    if (other && other.refreshToken !== refreshToken && !unsaved) return hold(other);
    const isRemoved = await storage.write({ [key]: undefined }, { key, value: text }).catch(() => true);
    if (isReplaced()) return;
    unsaved = undefined;
    if (isRemoved) hold(undefined, { reason: 'refused', error });
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
    start: async (tokens, identity) => {
      await load().catch(() => {});
      await save(stored(tokens, identity, randomId(), 0));
    },
    update: async (identity) => {
      const text = await reread();
      // If another tab changed the session in between, its answer is the newer one.
      if (held && !(await save({ ...held, identity }, { text }))) await reread();
    },
    end: async () => {
      await load().catch(() => {});
      const refreshToken = held?.refreshToken;
      await storage.write({ [key]: undefined });
      unsaved = undefined;
      hold(undefined);
      return refreshToken;
    },
    accessToken: async () => {
      await load();
      if (!held || isFresh(held)) return held?.accessToken;
      return (renewing ??= renewOnce(held.accessToken).finally(() => (renewing = undefined)));
    },
    renew: async (refused) => {
      await load();
      if (held && held.accessToken !== refused && isFresh(held)) return held.accessToken;
      return (renewing ??= renewOnce(refused).finally(() => (renewing = undefined)));
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

/** Returns an answer that has tokens. A gateway may have answered instead of the server, for example with the sign-in page of a public network. */
export function requireTokens<Answer extends Tokens>(answer: Answer): Answer {
  const { accessToken, refreshToken, expiresIn }: Partial<Tokens> = answer ?? {};
  if (typeof accessToken !== 'string' || typeof refreshToken !== 'string' || typeof expiresIn !== 'number')
    throw clientError(
      'unexpected_answer',
      'The answer has no tokens. Something between the client and the server answered.',
    );
  return answer;
}

function stored<Identity>(
  { accessToken, refreshToken, expiresIn }: Tokens,
  identity: Identity,
  secret: string,
  refreshes: number,
): Stored<Identity> {
  const expiresAt = Date.now() + expiresIn * 1000;
  return { accessToken, refreshToken, expiresIn, identity, expiresAt, secret, refreshes };
}

/** The clock may have been set back, so a token never counts as fresh for longer than it was issued for. */
function isFresh({ expiresAt, expiresIn }: { expiresAt: number; expiresIn: number }): boolean {
  const remaining = expiresAt - Date.now();
  return remaining > Math.min(RENEW_EARLY_MS, expiresIn * 100) && remaining <= expiresIn * 1000;
}

function read<Identity>(text: string | undefined): Stored<Identity> | undefined {
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Stored<Identity> | null;
    return typeof value?.refreshToken === 'string' ? value : undefined;
  } catch {
    // Another program wrote it. Nobody is signed in.
    return undefined;
  }
}
