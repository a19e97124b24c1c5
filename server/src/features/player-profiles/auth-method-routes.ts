import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type, type Static } from 'typebox';
import { playerOf } from '../../http/request-context.ts';
import { problems } from '../../http/schemas.ts';
import { isGuid } from '../../shared/ids.ts';
import { Problem } from '../../shared/problem.ts';
import { linkMethod } from './link-method.ts';
import { AuthMethod, AuthMethodPath, LinkBody } from './schemas.ts';
import { setPrimaryMethod } from './set-primary-method.ts';
import { unlinkMethod } from './unlink-method.ts';
import type { CredentialServices } from './verify-credential.ts';

const tags = ['Player profile'];
const METHODS = '/api/player-profile/me/auth-methods';
const METHOD = `${METHODS}/:authMethodId`;

/** Behind a player's token. */
export function authMethodRoutes(services: CredentialServices): FastifyPluginAsyncTypebox {
  const { database } = services;
  return async (app) => {
    app.post(
      METHODS,
      {
        schema: {
          operationId: 'linkAuthMethod',
          tags,
          summary: 'Link a provider',
          description:
            'Adds a way to sign in. The credential is verified with its provider, as at a sign-in. An identity that signs in ' +
            'to another profile cannot be linked: merge that profile instead. One that is linked already stays as it is.',
          body: LinkBody,
          response: { 201: AuthMethod, ...problems(502) },
        },
      },
      async (request, reply) => {
        const { setAsPrimary, ...credential } = request.body;
        reply.code(201);
        return linkMethod(services, playerOf(request), { credential, setAsPrimary });
      },
    );

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
        await unlinkMethod(database, playerOf(request), methodIdOf(request.params));
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
      async (request) => setPrimaryMethod(database, playerOf(request), methodIdOf(request.params)),
    );
  };
}

/** Of the player's methods none has an id that is no Guid. */
function methodIdOf({ authMethodId }: Static<typeof AuthMethodPath>): string {
  if (!isGuid(authMethodId)) throw new Problem('auth_method_not_found');
  return authMethodId;
}
