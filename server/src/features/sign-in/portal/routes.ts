import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { clientAddress } from '../../../http/client-address.ts';
import { CREDENTIAL_BODY_LIMIT } from '../../../http/bodies/body-limits.ts';
import { originOf } from '../../../http/request-context.ts';
import { IdempotencyHeaders } from '../../../http/idempotency-key.ts';
import { problems } from '../../../http/schemas.ts';
import type { NetworkBudget } from '../../../security/network-budget.ts';
import { REFRESH_DESCRIPTION } from '../refresh-tokens/index.ts';
import { logOut, refreshSession, type PortalSessionServices } from './portal-sessions.ts';
import {
  FinishPortalLoginRequest,
  PortalTokens,
  PortalSessionRequest,
  StartedPortalLogin,
} from './schemas.ts';
import { finishStoreALogin, startStoreALogin, type StoreAServices } from './store-a-login.ts';

const tags = ['Player portal'];

/** Sign-in to the player portal with StoreA. Requires no credential. */
export function storeAPortalRoutes(
  services: StoreAServices & PortalSessionServices & { portalStartBudget: NetworkBudget },
): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-portal-auth/storea/start',
      {
        schema: {
          operationId: 'startStoreAPortalLogin',
          tags,
          summary: 'Start a StoreA sign-in',
          description:
            'Redirect the browser to `authUrl`. StoreA redirects it back to the page `/sign-in/store-a` of the portal. The player has ' +
            '10 minutes. The request has no body. Limit: 100 sign-ins in 10 minutes from one network.',
          response: { 200: StartedPortalLogin, ...problems(422) },
        },
      },
      async (request) => startStoreALogin(services, clientAddress(request)),
    );

    app.post(
      '/api/player-portal-auth/storea/exchange',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { signsInWith: 'PortalStoreA' },
        schema: {
          operationId: 'finishStoreAPortalLogin',
          tags,
          summary: 'Finish a StoreA sign-in',
          description:
            'Returns tokens for the player to whom the StoreA account is linked. Never creates a player. A callback works once. It is ' +
            'used up even if StoreA is unavailable (502). In that case, start a new sign-in.',
          body: FinishPortalLoginRequest,
          response: { 200: PortalTokens, ...problems(401, 422, 502) },
        },
      },
      async (request) => finishStoreALogin(services, request.body.callbackUrl),
    );
  };
}

/** Refresh and logout of portal sessions. The refresh token is the credential. */
export function portalSessionRoutes(services: PortalSessionServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-portal-auth/refresh',
      {
        schema: {
          operationId: 'refreshPortalSession',
          tags,
          summary: 'Exchange a portal refresh token',
          description: REFRESH_DESCRIPTION,
          headers: IdempotencyHeaders,
          body: PortalSessionRequest,
          response: { 200: PortalTokens, ...problems(401) },
        },
      },
      async (request) =>
        refreshSession(services, originOf(request), {
          token: request.body.refreshToken,
          idempotencyKey: request.headers['idempotency-key'],
        }),
    );

    app.post(
      '/api/player-portal-auth/logout',
      {
        schema: {
          operationId: 'logOutOfPortal',
          tags,
          summary: 'Sign out of the portal',
          description:
            'Ends the session of the refresh token. The access token stays valid until it expires, for at most two hours.',
          body: PortalSessionRequest,
          response: { 204: Type.Null({ description: 'The session has ended.' }), ...problems(401) },
        },
      },
      async (request, reply) => {
        await logOut(services, request.body.refreshToken);
        return reply.code(204).send(null);
      },
    );
  };
}
