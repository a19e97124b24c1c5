import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Database } from '../../database/database.ts';
import { playerOf } from '../../http/request-context.ts';
import { AuthMethod, AuthMethodPath } from './schemas.ts';
import { setPrimaryMethod } from './set-primary-method.ts';
import { unlinkMethod } from './unlink-method.ts';

const tags = ['Player profile'];
const METHOD = '/api/player-profile/me/auth-methods/:authMethodId';

/** Behind a player's token. */
export function authMethodRoutes(database: Database): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.delete(
      METHOD,
      {
        schema: {
          operationId: 'unlinkAuthMethod',
          tags,
          summary: 'Remove a sign-in method',
          description:
            'The last one cannot be removed. Where it was the primary one, the one that was used last becomes primary.',
          params: AuthMethodPath,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await unlinkMethod(database, playerOf(request), request.params.authMethodId);
        return reply.code(204).send(null);
      },
    );

    app.post(
      `${METHOD}/set-primary`,
      {
        schema: {
          operationId: 'setPrimaryAuthMethod',
          tags,
          summary: 'Make a sign-in method the primary one',
          params: AuthMethodPath,
          response: { 200: AuthMethod },
        },
      },
      async (request) => setPrimaryMethod(database, playerOf(request), request.params.authMethodId),
    );
  };
}
