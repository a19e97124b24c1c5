import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { CREDENTIAL_BODY_LIMIT } from '../../../http/bodies/body-limits.ts';
import { keyOf, sourceOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { LoginResult } from '../tokens/index.ts';
import { tokenProviders, type TokenProvider } from './identity.ts';
import { findPlayerAtProvider, type FindPlayerServices } from './find-player-at-provider.ts';
import { CreatePlayerRequest, LoginRequest, PlayerExistsRequest, PlayerExistsResult } from './schemas.ts';
import { toSignInRequest } from './sign-in-request.ts';
import { signIn, type SignInServices } from './sign-in.ts';
import type { VerifyToken } from './verify-token.ts';

interface PlayerLoginServices extends SignInServices, FindPlayerServices {
  verifyToken: VerifyToken;
}

/** Sign-in with a provider's token. Requires a game key; the sign-in belongs to its tenant. */
export function playerLoginRoutes(services: PlayerLoginServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-auth/login',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { usage: 'write', signsInWith: tokenProviderOf },
        schema: {
          operationId: 'logInPlayer',
          tags: ['Player sign-in'],
          summary: 'Sign a player in',
          description:
            'Verifies the credential with its provider and starts a session. Creates the player if none exists, unless ' +
            '`createAccountIfMissing` is false.',
          body: LoginRequest,
          response: { 200: LoginResult, ...problems(403, 404, 422, 502) },
        },
      },
      async (request) => {
        const source = sourceOf(request);
        const { provider, token, ...rest } = request.body;
        const identity = await services.verifyToken({ ...keyOf(request), ...source }, provider, token);
        return signIn(services, identity, toSignInRequest(rest, source));
      },
    );

    app.post(
      '/api/player-auth/players',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { usage: 'write', signsInWith: tokenProviderOf },
        schema: {
          operationId: 'createPlayer',
          tags: ['Player sign-in'],
          summary: 'Create a player',
          description:
            'Verifies the credential with its provider, creates the player and starts a session. Returns 409 if the player exists.',
          body: CreatePlayerRequest,
          response: { 201: LoginResult, ...problems(403, 409, 422, 502) },
        },
      },
      async (request, reply) => {
        const source = sourceOf(request);
        const { provider, token, ...rest } = request.body;
        const identity = await services.verifyToken({ ...keyOf(request), ...source }, provider, token);
        reply.code(201);
        return signIn(services, identity, { ...rest, ...source, mode: 'only-new' });
      },
    );

    app.post(
      '/api/player-auth/players/exists',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'getPlayerByProvider',
          tags: ['Player sign-in'],
          summary: 'Find a player by provider id',
          description:
            'Returns the id of the player who has a user id at a provider. Never signs in and never creates a player.',
          body: PlayerExistsRequest,
          response: { 200: PlayerExistsResult, ...problems(404, 422) },
        },
      },
      async (request) => {
        const { provider, providerUserId } = request.body;
        return findPlayerAtProvider(services, keyOf(request), provider, providerUserId);
      },
    );
  };
}

/** The provider that a body names, for the metrics. The body may not have been validated. */
function tokenProviderOf(body: unknown): TokenProvider | 'unknown' {
  const named = (body as { provider?: unknown } | null | undefined)?.provider;
  return tokenProviders.find((provider) => provider === named) ?? 'unknown';
}
