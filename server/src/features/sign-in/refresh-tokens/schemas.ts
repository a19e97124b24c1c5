import { Type } from 'typebox';

/** The description of an operation that exchanges a refresh token. */
export const REFRESH_DESCRIPTION =
  'Returns a new access token and a new refresh token. The old refresh token stops working. If requests run in parallel ' +
  'without an `Idempotency-Key`, only one succeeds. A later reuse of the old token ends the session. A repeated request with ' +
  'the same `Idempotency-Key` returns the same refresh token for 60 seconds, until that token is used.';

/** The body of a request with a refresh token. */
export const refreshTokenField = { refreshToken: Type.String({ minLength: 1, maxLength: 512 }) };
