import { decodeJwt } from 'jose';
import type { KeyKind } from '../../core/callers.ts';
import { ProblemError } from '../../core/problem.ts';
import { isLikeToken, isOpaqueToken, tokenFormat } from '../../security/opaque-tokens.ts';

// A refused credential is described by what was sent, which reveals nothing about existing keys and sessions.

const KEYS = {
  game: { name: 'game key', one: 'a game key', header: 'X-Game-Key' },
  api: { name: 'API key', one: 'an API key', header: 'X-API-Key' },
} as const;

/** Returns invalid_game_key or invalid_api_key for a refused key. */
export function refusedKey(kind: KeyKind, sent: string): ProblemError {
  const code = kind === 'game' ? 'invalid_game_key' : 'invalid_api_key';
  if (isOpaqueToken(kind, sent)) return new ProblemError(code);
  const { name, one, header } = KEYS[kind];
  if (isLikeToken(kind, sent))
    return new ProblemError(
      code,
      `The ${name} in ${header} has a typing error: its checksum is wrong. Copy it again.`,
    );
  const { prefix, length } = tokenFormat(kind);
  const format = `${prefix} and ${length - prefix.length} more characters`;
  const other = kind === 'game' ? 'api' : 'game';
  return new ProblemError(
    code,
    isLikeToken(other, sent)
      ? `${header} contains ${KEYS[other].one}. Send ${one} instead: ${format}.`
      : `${header} must contain the ${name}: ${format}. Copy it again.`,
  );
}

/** An opaque token that a caller may confuse with an access token. */
const OTHER_TOKEN = /^gh_(?:game|api|refresh|session|portal)_/;

/** The types of signed tokens, by their claim `auth_type`. */
const TOKENS = {
  player: "a player's access token",
  saas: 'the access token of a console account',
  wallet: 'the token of a wallet-linked player',
  assertion: 'an assertion',
} as const;
export type TokenType = keyof typeof TOKENS;

/** Returns invalid_bearer for a refused token. `expected` is the type that the operation needs, if there is one. */
export function refusedBearer(token: string, expected: TokenType | undefined): ProblemError {
  if (OTHER_TOKEN.test(token))
    return new ProblemError(
      'invalid_bearer',
      'The header Authorization contains a key or a refresh token. Send an access token.',
    );
  const { type: sent, expiredAt } = readClaims(token);
  if (expected && sent && sent !== expected)
    return new ProblemError(
      'invalid_bearer',
      `The header Authorization contains ${TOKENS[sent]}. Send ${TOKENS[expected]} instead.`,
    );
  // The other types cannot be refreshed.
  if (expiredAt && (sent === 'player' || sent === 'saas'))
    return new ProblemError(
      'invalid_bearer',
      `The access token expired at ${expiredAt}. Refresh it, or sign in again.`,
    );
  return new ProblemError('invalid_bearer');
}

/** Tokens of this server have fewer characters. */
const MAX_READ_LENGTH = 8_192;

/** Reads the type that a token claims, and the expiry if it has passed. Nobody has verified the claims. */
function readClaims(token: string): { type?: TokenType | undefined; expiredAt?: string | undefined } {
  if (token.length > MAX_READ_LENGTH) return {};
  try {
    const { auth_type: type, exp } = decodeJwt<{ auth_type?: unknown; exp?: unknown }>(token);
    const isExpired = typeof exp === 'number' && exp > 0 && exp * 1000 <= Date.now();
    return {
      type: typeof type === 'string' && Object.hasOwn(TOKENS, type) ? (type as TokenType) : undefined,
      expiredAt: isExpired ? new Date(exp * 1000).toISOString() : undefined,
    };
  } catch {
    return {};
  }
}
