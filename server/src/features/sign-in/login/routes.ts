import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { clientAddress } from '../../../http/client-address.ts';
import { CREDENTIAL_BODY_LIMIT } from '../../../http/body-limits.ts';
import { billingOf, keyOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { LoginResult } from '../tokens/index.ts';
import { playerExists, type PlayerExistsServices } from './player-exists.ts';
import { CreatePlayerBody, LoginBody, PlayerExistsBody, PlayerExistsResult } from './schemas.ts';
import { signIn, type SignInServices } from './sign-in.ts';
import type { VerifyToken } from './verify-token.ts';

export interface PlayerLoginServices extends SignInServices, PlayerExistsServices {
  verifyToken: VerifyToken;
}

/** Behind a game key: its tenant scopes the sign-in. */
export function playerLoginRoutes(services: PlayerLoginServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-auth/login',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { usage: 'write' },
        schema: {
          operationId: 'logInPlayer',
          tags: ['Player sign-in'],
          summary: 'Sign a player in',
          description:
            'Verifies the credential with its provider and starts a session. A player who does not exist is created, unless ' +
            '`createAccountIfMissing` is false.',
          body: LoginBody,
          response: { 200: LoginResult, ...problems(403, 404, 422, 502) },
        },
      },
      async (request) => {
        const tenant = keyOf(request);
        const { provider, token, createAccountIfMissing, ...rest } = request.body;
        const identity = await services.verifyToken(tenant, provider, token);
        const mode = createAccountIfMissing ? 'login' : 'only-existing';
        return signIn(services, identity, {
          ...rest,
          mode,
          billing: billingOf(request),
          ipAddress: clientAddress(request),
        });
      },
    );

    app.post(
      '/api/player-auth/players',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { usage: 'write' },
        schema: {
          operationId: 'createPlayer',
          tags: ['Player sign-in'],
          summary: 'Create a player',
          description: 'As a login, but the player must not exist yet.',
          body: CreatePlayerBody,
          response: { 201: LoginResult, ...problems(403, 409, 422, 502) },
        },
      },
      async (request, reply) => {
        const tenant = keyOf(request);
        const { provider, token, ...rest } = request.body;
        const identity = await services.verifyToken(tenant, provider, token);
        const address = clientAddress(request);
        reply.code(201);
        return signIn(services, identity, {
          ...rest,
          mode: 'only-new',
          billing: billingOf(request),
          ipAddress: address,
        });
      },
    );

    app.post(
      '/api/player-auth/players/exists',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'findPlayerByProvider',
          tags: ['Player sign-in'],
          summary: 'Find a player by their id at a provider',
          description: 'Never signs in and never creates.',
          body: PlayerExistsBody,
          response: { 200: PlayerExistsResult, ...problems(404, 422) },
        },
      },
      async (request) => {
        const { provider, providerUserId } = request.body;
        return playerExists(services, keyOf(request), provider, providerUserId);
      },
    );
  };
}
