/** A client's parallel uses of one token lie within this many seconds. A later use means that the token leaked. */
const REUSE_GRACE_SECONDS = 10;

/** A request with an idempotency key may be repeated for this long after the exchange. */
const REPEAT_SECONDS = 60;

/** What the database says about a refresh token that could not be exchanged. */
export interface TokenUse {
  /** Whether the session still accepts its refresh tokens. */
  isAlive: boolean;
  /** The time since the token was exchanged; null if it was not. */
  usedSecondsAgo: number | null;
  /** Whether the token that this request would get is stored and unused: then an equal request has stored it. */
  hasUnusedSuccessor: boolean;
}

/**
 * Decides about a refresh token that could not be exchanged: `repeat` gives the pair of the first request again, `refuse`
 * harms nothing, `revoke` ends the family because two parties hold the token.
 */
export function judgeUse({
  isAlive,
  usedSecondsAgo,
  hasUnusedSuccessor,
}: TokenUse): 'repeat' | 'refuse' | 'revoke' {
  if (usedSecondsAgo === null) return 'refuse';
  if (isAlive && hasUnusedSuccessor && usedSecondsAgo <= REPEAT_SECONDS) return 'repeat';
  return usedSecondsAgo > REUSE_GRACE_SECONDS ? 'revoke' : 'refuse';
}
