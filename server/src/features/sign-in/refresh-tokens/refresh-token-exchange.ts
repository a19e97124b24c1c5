import type { Querier, Scope } from '../../../database/database.ts';
import { isOpaqueToken, tokenFormat } from '../../../security/opaque-tokens.ts';
import {
  successorOf,
  type RefreshTokenKind,
  type StoredRefreshToken,
} from '../../../security/refresh-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import { audit, type AuditEntry } from '../../platform/audit/index.ts';

export interface RefreshRequest {
  token: string;
  /** The value of `Idempotency-Key`, if the request has one. */
  idempotencyKey: string | undefined;
}

/** The storage of one kind of refresh tokens. The response is built from `Session`. */
interface RefreshTokenStore<Session> {
  kind: RefreshTokenKind;
  /** The lifetime of the next token in days, if it is not the default. */
  days?: number;
  /** Marks a token as used and stores the next one, in one statement. Undefined if the token cannot be exchanged. */
  rotate(hash: Buffer, next: StoredRefreshToken): Promise<Session | undefined>;
  /** Reads a token in a newer snapshot than {@link rotate}. Undefined if it was never issued. */
  find(hash: Buffer, successorHash: Buffer): Promise<(Session & TokenUse) | undefined>;
  /** Bills a repeated request. The statement of a rotation bills the rotation itself. */
  billRepeat?(): Promise<void>;
  /** The scope in which a leaked family is revoked. It bills nothing, because the request is refused. */
  scope: Scope;
  /** Revokes all tokens of the family. Returns false if they were revoked before. */
  revoke(transaction: Querier, session: Session): Promise<boolean>;
  /** The audit record of a reuse. */
  reuseOf(session: Session): AuditEntry;
  /** Throws a more precise problem than invalid_refresh_token, if there is one. */
  explain?(session: Session): void;
}

/**
 * Exchanges a refresh token for the next one. Each token can be exchanged once. A second use within 10 seconds is only refused, because
 * clients refresh in parallel. A later use revokes the family of the token and adds an audit record. A request with an idempotency key
 * can be repeated for 60 seconds, until the next token is used (docs/decisions/0041-repeated-requests.md). Throws
 * invalid_refresh_token.
 */
export async function exchangeRefreshToken<Session>(
  store: RefreshTokenStore<Session>,
  vault: Vault,
  { token, idempotencyKey }: RefreshRequest,
): Promise<{ session: Session; refreshToken: string }> {
  if (!isOpaqueToken(store.kind, token)) {
    const { prefix, length } = tokenFormat(store.kind);
    throw new ProblemError(
      'invalid_refresh_token',
      `The refresh token must be ${prefix} and ${length - prefix.length} more characters, as the last sign-in or refresh returned it. Copy it again, or sign in again.`,
    );
  }
  const hash = vault.fingerprint(token);
  const next = successorOf(vault, store.kind, token, idempotencyKey, store.days);
  const rotated = await store.rotate(hash, next);
  if (rotated) return { session: rotated, refreshToken: next.token };

  const found = await store.find(hash, next.hash);
  if (!found) throw new ProblemError('invalid_refresh_token', isOfGame(store.kind) ? UNKNOWN_DETAIL : {});
  const use = classifyUse(found);
  if (use === 'repeat') {
    await store.billRepeat?.();
    return { session: found, refreshToken: next.token };
  }
  if (use === 'revoke') await revokeFamily(store, found);
  store.explain?.(found);
  throw new ProblemError('invalid_refresh_token');
}

/** Whether tokens of this kind are found only with a key of their own game. */
const isOfGame = (kind: RefreshTokenKind): boolean => kind === 'refresh' || kind === 'thirdparty';

const UNKNOWN_DETAIL =
  'The refresh token was used before, has expired, or belongs to another game than the game key. Check the game key, or sign in again.';

async function revokeFamily<Session>(store: RefreshTokenStore<Session>, session: Session): Promise<void> {
  await store.scope.transaction(async (transaction) => {
    if (await store.revoke(transaction, session)) await audit(transaction, store.reuseOf(session));
  });
}

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
