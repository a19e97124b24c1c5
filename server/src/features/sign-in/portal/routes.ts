import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { clientAddress } from '../../../http/client-address.ts';
import { CREDENTIAL_BODY_LIMIT } from '../../../http/body-limits.ts';
import { originOf } from '../../../http/request-context.ts';
import { IdempotencyHeaders } from '../../../http/idempotency-key.ts';
import { problems } from '../../../http/schemas.ts';
import type { CreateBudget } from '../../../security/attempt-budget.ts';
import { finishStoreALogin, type StoreAServices } from './finish-store-a-login.ts';
import { logOut } from './log-out.ts';
import type { SessionServices } from './open-session.ts';
import { refreshSession } from './refresh-session.ts';
import { ExchangeBody, PortalTokens, SessionBody, StartedLogin } from './schemas.ts';
import { startStoreALogin, STARTS } from './start-store-a-login.ts';

const tags = ['Player portal'];

/** Open to anyone: players prove who they are at StoreA. */
export function storeAPortalRoutes(
  services: StoreAServices & SessionServices & { createBudget: CreateBudget },
): FastifyPluginAsyncTypebox {
  const withStarts = { ...services, starts: services.createBudget(STARTS) };
  return async (app) => {
    app.post(
      '/api/player-portal-auth/storea/start',
      {
        schema: {
          operationId: 'startStoreAPortalLogin',
          tags,
          summary: 'Begin a sign-in with StoreA',
          description:
            'Send the browser to `authUrl`. It comes back to the page `/sign-in/store-a` of the portal, within ten minutes. ' +
            'Takes no body. One network may start 100 within ten minutes.',
          response: { 200: StartedLogin, ...problems(422, 429) },
        },
      },
      async (request) => startStoreALogin(withStarts, clientAddress(request)),
    );

    app.post(
      '/api/player-portal-auth/storea/exchange',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        schema: {
          operationId: 'finishStoreAPortalLogin',
          tags,
          summary: 'Finish a sign-in with StoreA',
          description:
            'Gives the tokens of the player whom the StoreA account is linked to; it creates nobody. A callback works once, and ' +
            'is used up also where StoreA does not answer (502): begin again then.',
          body: ExchangeBody,
          response: { 200: PortalTokens, ...problems(401, 422, 502) },
        },
      },
      async (request) => finishStoreALogin(services, request.body.callbackUrl),
    );
  };
}

/** Open to anyone: the refresh token says who it is. For the sessions of all doors of the portal. */
export function portalSessionRoutes(services: SessionServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-portal-auth/refresh',
      {
        schema: {
          operationId: 'refreshPortalSession',
          tags,
          summary: 'Exchange a portal refresh token',
          description:
            'Gives a new access token and a new refresh token. The old refresh token stops working. Of parallel exchanges ' +
            'without an `Idempotency-Key` only one succeeds. A token that is used again later ends the session. With an ' +
            '`Idempotency-Key` an equal request gets the same refresh token again within 60 seconds, until it is used.',
          headers: IdempotencyHeaders,
          body: SessionBody,
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
            'Ends the session of the refresh token. Its access token stays valid until it expires, for two hours at most.',
          body: SessionBody,
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
