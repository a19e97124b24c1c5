import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { billingOf, keyOf, originOf, playerOf } from '../../../http/request-context.ts';
import { IdempotencyHeaders } from '../../../http/idempotency-key.ts';
import { problems } from '../../../http/schemas.ts';
import { REFRESH_DESCRIPTION } from '../refresh-tokens/index.ts';
import { refreshSession, type RefreshServices } from './refresh-session.ts';
import { LoginResult, RefreshRequest, VerifiedPlayer } from './schemas.ts';
import { verifyPlayer } from './verify-player.ts';

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
          description: REFRESH_DESCRIPTION,
          headers: IdempotencyHeaders,
          body: RefreshRequest,
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

/** Requires a game key, and a player's access token as bearer. */
export function playerVerificationRoutes({ database }: { database: Database }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/game/player',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'verifyPlayer',
          tags: ['Player sign-in'],
          summary: 'Verify a player’s token',
          description:
            'Returns the player of the access token. A game server calls it with its game key and the token that a game client sent. ' +
            'Answers 401 for a token of another tenant or of the player portal, and if the session has ended or the player’s account is ' +
            'closed. Answers 403 if the player is banned.',
          response: { 200: VerifiedPlayer, ...problems(403) },
        },
      },
      async (request) => verifyPlayer(database, keyOf(request).tenantId, playerOf(request)),
    );
  };
}
