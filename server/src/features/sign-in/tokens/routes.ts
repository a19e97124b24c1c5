import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { billingOf, originOf } from '../../../http/request-context.ts';
import { IdempotencyHeaders } from '../../../http/idempotency-key.ts';
import { refreshSession, type RefreshServices } from './refresh-session.ts';
import { LoginResult, RefreshBody } from './schemas.ts';

/** Requires a game key. */
export function refreshRoutes(services: RefreshServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-auth/refresh',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'refreshPlayerSession',
          tags: ['Player sign-in'],
          summary: 'Exchange a refresh token',
          description:
            'Returns a new access token and a new refresh token. The old refresh token stops working. If requests run in parallel ' +
            'without an `Idempotency-Key`, only one succeeds. A later reuse of the old token ends the session. A repeated request with ' +
            'the same `Idempotency-Key` returns the same refresh token for 60 seconds, until that token is used.',
          headers: IdempotencyHeaders,
          body: RefreshBody,
          response: { 200: LoginResult },
        },
      },
      async (request) =>
        refreshSession(services, billingOf(request), originOf(request), {
          token: request.body.refreshToken,
          idempotencyKey: request.headers['idempotency-key'],
        }),
    );
  };
}
