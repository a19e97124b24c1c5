import { clientError, GuildhallError } from './errors.ts';

/** The answer of a sign-in or a refresh. */
export interface Tokens {
  accessToken: string;
  refreshToken: string;
  /** Seconds. */
  expiresIn: number;
}

/** Why a session ended: the person signed out, or the server refused to renew it. Either may have happened in another tab. */
export interface SessionEnd {
  reason: 'signed_out' | 'refused';
  /**
   * The refusal of the server, such as `invalid_refresh_token`, also if the player was banned. The next sign-in then throws
   * `player_banned`, with the ban in `problem.ban`.
   */
  error?: GuildhallError;
}

/** A token that expires within this time, or within a tenth of its life if that is shorter, is renewed before it is used. */
const RENEW_EARLY_MS = 30_000;

/** A session as it is in the storage. */
export interface Stored<Identity> extends Tokens {
  identity: Identity;
  /** Milliseconds since 1970, by the clock of this device. */
  expiresAt: number;
  /**
   * Names the session in the `Idempotency-Key` of its refreshes. With the count of refreshes, all tabs send the same key for
   * one refresh token, even after a restart, and get the same answer. Nobody who has only the token knows it.
   */
  secret: string;
  refreshes: number;
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

export function stored<Identity>(
  { accessToken, refreshToken, expiresIn }: Tokens,
  identity: Identity,
  secret: string,
  refreshes: number,
): Stored<Identity> {
  const expiresAt = Date.now() + expiresIn * 1000;
  return { accessToken, refreshToken, expiresIn, identity, expiresAt, secret, refreshes };
}

/** The clock may have been set back, so a token never counts as fresh for longer than it was issued for. */
export function isFresh({ expiresAt, expiresIn }: { expiresAt: number; expiresIn: number }): boolean {
  const remainingMs = expiresAt - Date.now();
  const lifeMs = expiresIn * 1000;
  return remainingMs > Math.min(RENEW_EARLY_MS, lifeMs / 10) && remainingMs <= lifeMs;
}

/** The `Idempotency-Key` of the next refresh. */
export const refreshKeyOf = ({ secret, refreshes }: Pick<Stored<unknown>, 'secret' | 'refreshes'>): string =>
  `${secret}-${refreshes}`;

export function read<Identity>(text: string | undefined): Stored<Identity> | undefined {
  const value = parse<Stored<Identity>>(text);
  return typeof value?.refreshToken === 'string' ? (value as Stored<Identity>) : undefined;
}

interface Refusal {
  refused: { code: string; status: number; detail: string };
}

/**
 * What the storage keeps of a session that the server has ended, until the next sign-in. Without it, other tabs would believe that the
 * person has signed out.
 */
export function textOfRefusal({ code, status, detail }: GuildhallError): string {
  return JSON.stringify({ refused: { code, status, detail } } satisfies Refusal);
}

/** Why the session ended that a stored text has replaced. */
export function endOf(text: string | undefined): SessionEnd {
  const refused = parse<Refusal>(text)?.refused;
  return refused ? { reason: 'refused', error: new GuildhallError(refused) } : { reason: 'signed_out' };
}

function parse<Value>(text: string | undefined): Partial<Value> | null | undefined {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // Another program wrote it. Nobody is signed in.
    return undefined;
  }
}
