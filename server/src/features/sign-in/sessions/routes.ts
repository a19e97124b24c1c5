import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { billingOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { logOut } from './log-out.ts';
import { LogoutBody, LogoutResult } from './schemas.ts';

/** Behind a game key, beside which a player's bearer may stand. */
export function logoutRoutes(database: Database): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-auth/logout',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'logOutPlayer',
          tags: ['Player sign-in'],
          summary: 'End a session',
          description:
            'Ends the session and its refresh token; the access token stays valid until it expires. Ending a session again ' +
            'answers with its first end. With a bearer token, the session must be that player’s.',
          body: LogoutBody,
          response: { 200: LogoutResult, ...problems(403, 404) },
        },
      },
      async (request) =>
        logOut(database, {
          billing: billingOf(request),
          sessionId: request.body.sessionId,
          deviceId: request.body.deviceId,
          playerId: request.playerCaller?.playerId,
        }),
    );
  };
}
