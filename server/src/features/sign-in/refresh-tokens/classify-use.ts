/** Parallel requests of one client use a token within this time. A later use means that the token leaked. */
const REUSE_GRACE_SECONDS = 10;

/** The time after an exchange in which a request with an idempotency key can be repeated. */
const REPEAT_SECONDS = 60;

/** The stored state of a refresh token that could not be exchanged. */
export interface TokenUse {
  /** Whether the session still accepts its refresh tokens. */
  isAlive: boolean;
  /** The seconds since the token was exchanged. Null if it was not. */
  usedSecondsAgo: number | null;
  /** Whether the token that this request derives is stored and unused. If so, a request with the same key stored it. */
  hasUnusedSuccessor: boolean;
}

/**
 * Classifies the use of a refresh token that could not be exchanged. `repeat`: return the tokens of the first request again. `refuse`:
 * only refuse the request. `revoke`: revoke the family, because two parties have the token.
 */
export function classifyUse({
  isAlive,
  usedSecondsAgo,
  hasUnusedSuccessor,
}: TokenUse): 'repeat' | 'refuse' | 'revoke' {
  if (usedSecondsAgo === null) return 'refuse';
  if (isAlive && hasUnusedSuccessor && usedSecondsAgo <= REPEAT_SECONDS) return 'repeat';
  return usedSecondsAgo > REUSE_GRACE_SECONDS ? 'revoke' : 'refuse';
}
