import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { chargeOf } from '../../http/request-context.ts';
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
            'Gives a new access token and a new refresh token; the old refresh token stops working. Use one exchange at a ' +
            'time: of parallel ones only one succeeds. A token used again later ends the session.',
          body: RefreshBody,
          response: { 200: LoginResult },
        },
      },
      async (request) => refreshSession(services, chargeOf(request), request.body.refreshToken),
    );
  };
}
