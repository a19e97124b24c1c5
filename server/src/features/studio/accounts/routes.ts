import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { IdempotencyHeaders } from '../../../http/idempotency-key.ts';
import { isForwarded, originOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import type { LoginThrottle } from '../../../security/login-throttle.ts';
import { logIn } from './log-in.ts';
import { logOut } from './log-out.ts';
import { refreshSession } from './refresh-session.ts';
import { LoggedIn, LogInBody, SessionBody, SignedIn, SignUpBody } from './schemas.ts';
import { signUp, type SignUpServices } from './sign-up.ts';

/** Open to anyone: how people get a dashboard token, and how they give it back. */
export function accountSessionRoutes(
  services: SignUpServices & { throttle: LoginThrottle },
): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/saas-auth/signup',
      {
        schema: {
          operationId: 'signUp',
          tags: ['Accounts'],
          summary: 'Create a dashboard account',
          description:
            'Signs the new account in. The first account becomes platform admin only if the server listens on loopback, uses ' +
            'the embedded database, and no proxy forwarded the request. Otherwise run `guildhall bootstrap`. One network may create 300 accounts in 10 minutes.',
          body: SignUpBody,
          response: { 201: SignedIn, ...problems(403, 409, 429, 503) },
        },
      },
      async (request, reply) => {
        reply.code(201);
        return signUp(services, originOf(request), { ...request.body, isForwarded: isForwarded(request) });
      },
    );

    app.post(
      '/api/saas-auth/login',
      {
        schema: {
          operationId: 'logIn',
          tags: ['Accounts'],
          summary: 'Sign in to the dashboard',
          description:
            'If the account has a second factor, the answer holds an `mfaToken` in place of tokens: go on with ' +
            '`/api/saas-auth/totp/verify`. Wrong passwords are limited: 10 for an account and 100 in all, within 15 minutes ' +
            'from one address.',
          body: LogInBody,
          response: { 200: LoggedIn, ...problems(401, 429, 503) },
        },
      },
      async (request) => logIn(services, originOf(request), request.body),
    );

    app.post(
      '/api/saas-auth/refresh',
      {
        schema: {
          operationId: 'refreshAccountSession',
          tags: ['Accounts'],
          summary: 'Exchange a dashboard refresh token',
          description:
            'Gives a new access token and a new refresh token. The old refresh token stops working. Of parallel exchanges ' +
            'without an `Idempotency-Key` only one succeeds. A token that is used again later ends the session. With an ' +
            '`Idempotency-Key` an equal request gets the same refresh token again within 60 seconds, until it is used.',
          headers: IdempotencyHeaders,
          body: SessionBody,
          response: { 200: SignedIn, ...problems(401) },
        },
      },
      async (request) =>
        refreshSession(services, originOf(request), {
          token: request.body.refreshToken,
          idempotencyKey: request.headers['idempotency-key'],
        }),
    );

    app.post(
      '/api/saas-auth/logout',
      {
        schema: {
          operationId: 'logOut',
          tags: ['Accounts'],
          summary: 'Sign out of the dashboard',
          description:
            'Ends the session of the refresh token. Its access token stays valid until it expires, for 15 minutes at most.',
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
