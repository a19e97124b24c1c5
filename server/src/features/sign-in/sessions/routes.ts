import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { billingOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { logOut } from './log-out.ts';
import { LogoutRequest, LogoutResult } from './schemas.ts';

/** Requires a game key. A player's bearer token is optional, unless the key requires it. */
export function logoutRoutes(services: { database: Database; vault: Vault }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-auth/logout',
      {
        config: { usage: 'write', passesHardStop: true },
        schema: {
          operationId: 'logOutPlayer',
          tags: ['Player sign-in'],
          summary: 'End a session',
          description:
            'Ends the session and revokes its refresh token. The access token stays valid until it expires. Idempotent: a second call ' +
            'returns the first result. If the request has a bearer token, the session must belong to its player. A game key with ' +
            '`requirePlayerToken` needs the token: refresh an expired one first. A hard stop of the plan does not refuse a logout, ' +
            'but it refuses a refresh.',
          body: LogoutRequest,
          response: { 200: LogoutResult, ...problems(403, 404) },
        },
      },
      async (request) =>
        logOut(services, {
          ...request.body,
          billing: billingOf(request),
          playerId: request.playerCaller?.playerId,
        }),
    );
  };
}
