import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { IdempotencyHeaders } from '../../../http/idempotency-key.ts';
import { isFromThisMachine } from '../../../http/local-request.ts';
import { originOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import type { GuessThrottle } from '../../../security/guess-throttle.ts';
import { logIn } from './log-in.ts';
import { logOut, refreshSession } from './refresh-session.ts';
import { signInWithLink } from './sign-in-link.ts';
import {
  AccountLinkRequest,
  AccountLoginResult,
  AccountLoginRequest,
  AccountSessionRequest,
  AccountTokens,
  AccountSignUpRequest,
} from './schemas.ts';
import { signUp, type SignUpServices } from './sign-up.ts';

/** The public endpoints that create, refresh and end console sessions. */
export function accountSessionRoutes(
  services: SignUpServices & { accountLoginThrottle: GuessThrottle },
): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/saas-auth/signup',
      {
        schema: {
          operationId: 'signUpAccount',
          tags: ['Accounts'],
          summary: 'Create a console account',
          description:
            'Signs the new account in. The first account becomes platform administrator only if the server listens on loopback and ' +
            'uses the embedded database. The request must also come from the same machine: no proxy forwarded it, its `Host` is a ' +
            'loopback name or address, and its `Origin`, if any, is the same host. Otherwise run `guildhall bootstrap`. Limit: 300 ' +
            'accounts per network in 10 minutes.',
          body: AccountSignUpRequest,
          response: { 201: AccountTokens, ...problems(403, 409, 503) },
        },
      },
      async (request, reply) => {
        reply.code(201);
        const isLocal = isFromThisMachine(request, services.issuer);
        return signUp(services, originOf(request), { ...request.body, isLocal });
      },
    );

    app.post(
      '/api/saas-auth/login',
      {
        config: { signsInWith: 'Account' },
        schema: {
          operationId: 'logInAccount',
          tags: ['Accounts'],
          summary: 'Sign in to the console',
          description:
            'If the account has a second factor, the response contains an `mfaToken` instead of tokens. Send it to ' +
            '`/api/saas-auth/totp/verify`. Limits for wrong passwords from one IP address in 15 minutes: 10 per account, 100 in ' +
            'total.',
          body: AccountLoginRequest,
          response: { 200: AccountLoginResult, ...problems(401, 503) },
        },
      },
      async (request) => logIn(services, originOf(request), request.body),
    );

    app.post(
      '/api/saas-auth/link',
      {
        schema: {
          operationId: 'signInWithLink',
          tags: ['Accounts'],
          summary: 'Sign in with a printed link',
          description:
            'Send the token of the link that the first start of the server printed. It works once, for 30 minutes, and only ' +
            'while the account has no second factor. A new password ends it.',
          body: AccountLinkRequest,
          response: { 200: AccountTokens, ...problems(401) },
        },
      },
      async (request) => signInWithLink(services, originOf(request), request.body.token),
    );

    app.post(
      '/api/saas-auth/refresh',
      {
        schema: {
          operationId: 'refreshAccountSession',
          tags: ['Accounts'],
          summary: 'Exchange a console refresh token',
          description:
            'Returns a new access token and a new refresh token. The old refresh token stops working. If parallel requests send ' +
            'the same token without an `Idempotency-Key`, only one succeeds. If a used token is sent again later, the session ' +
            'ends. With an `Idempotency-Key`, a repeated request within 60 seconds returns the same refresh token, until it is used.',
          headers: IdempotencyHeaders,
          body: AccountSessionRequest,
          response: { 200: AccountTokens, ...problems(401) },
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
          operationId: 'logOutAccount',
          tags: ['Accounts'],
          summary: 'Sign out of the console',
          description: 'Ends the session of the refresh token. Its access tokens stop working immediately.',
          body: AccountSessionRequest,
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
