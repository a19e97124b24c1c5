import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { billingOf, originOf } from '../../../http/request-context.ts';
import { IdempotencyHeaders } from '../../../http/idempotency-key.ts';
import { refreshSession, type RefreshServices } from './refresh-session.ts';
import { LoginResult, RefreshBody } from './schemas.ts';

/** Behind a game key. */
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
            'Gives a new access token and a new refresh token. The old refresh token stops working. Of parallel exchanges ' +
            'without an `Idempotency-Key` only one succeeds. A token that is used again later ends the session. With an ' +
            '`Idempotency-Key` an equal request gets the same refresh token again within 60 seconds, until it is used.',
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
