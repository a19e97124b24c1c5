import { GuildhallError, isAboutSession } from './errors.ts';
import { LAST_ATTEMPT_MS } from './refresh.ts';
import type { SessionStore } from './session-store.ts';
import type { KnownText } from './shared-text.ts';
import { isFresh, refreshKeyOf, requireTokens, stored, type Stored, type Tokens } from './stored-session.ts';
import { LONGEST_ASKED_MS, wait, withJitter } from './waiting.ts';

/** Asks the server for the next tokens of a session. */
export type Refresh<Identity> = (
  refreshToken: string,
  idempotencyKey: string,
) => Promise<Tokens & { identity?: Identity }>;

/** The pauses between the attempts of a refresh. The server repeats its answer for 60 seconds, and LAST_ATTEMPT_MS limits all together. */
const REFRESH_PAUSES_MS = [250, 1_000, 3_000];
const LONGEST_PAUSE_MS = 10_000;

/**
 * Returns a function that renews the session if `refused` is still its token, and returns the token to use. All callers share one
 * request.
 */
export function createRenewal<Identity>(
  store: SessionStore<Identity>,
  refresh: Refresh<Identity>,
): (refused: string | undefined) => Promise<string | undefined> {
  let renewing: Promise<string | undefined> | undefined;
  /** The last refusal that asked to wait, until a time of `performance.now`. */
  let limited: { error: GuildhallError; until: number } | undefined;

  async function renew(refused: string | undefined): Promise<string | undefined> {
    const lastAttemptAt = performance.now() + LAST_ATTEMPT_MS;
    for (let attempt = 0; ; attempt++) {
      await store.reread();
      const { held, known } = store;
      if (!held) return undefined;
      if (held.accessToken !== refused && isFresh(held)) return held.accessToken;
      if (limited && performance.now() < limited.until) throw limited.error;
      try {
        const accessToken = await refreshOnce(held, known);
        if (accessToken !== undefined) return accessToken;
      } catch (error) {
        if (!(error instanceof GuildhallError)) throw error;
        if (isAboutSession(error)) {
          await store.refuse(held.refreshToken, error);
          // Otherwise, another tab renewed the session in the meantime, or somebody else has signed in.
          if (!store.held) return undefined;
        } else await wait(pauseBeforeNext(error, attempt, lastAttemptAt));
      }
    }
  }

  /** Returns the next access token, or undefined if the session changed meanwhile, on this page or in another tab. */
  async function refreshOnce(before: Stored<Identity>, known: KnownText): Promise<string | undefined> {
    const { refreshToken, secret, refreshes, identity } = before;
    const answer = requireTokens(await refresh(refreshToken, refreshKeyOf(before)));
    // Somebody else has signed in, or the person has signed out.
    if (store.held?.refreshToken !== refreshToken) return undefined;
    const next = stored(answer, answer.identity ?? identity, secret, refreshes + 1);
    // If another tab was faster, its session is the one to use.
    return (await store.save(next, known)) ? next.accessToken : undefined;
  }

  /** Returns the pause before the next attempt. Throws the error if there is none. */
  function pauseBeforeNext(error: GuildhallError, attempt: number, lastAttemptAt: number): number {
    const asked = (error.retryAfter ?? 0) * 1_000;
    // The repetition of a refresh that may have been carried out must not wait so long.
    if (!error.isUncertain)
      limited = { error, until: performance.now() + withJitter(Math.min(asked, LONGEST_ASKED_MS)) };
    const pause = REFRESH_PAUSES_MS[attempt];
    if (pause === undefined || !error.isUncertain) throw error;
    const pauseMs = withJitter(Math.max(pause, Math.min(asked, LONGEST_PAUSE_MS)));
    if (performance.now() + pauseMs > lastAttemptAt) throw error;
    return pauseMs;
  }

  return (refused) => (renewing ??= renew(refused).finally(() => (renewing = undefined)));
}
