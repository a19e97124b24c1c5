import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { clientAddress } from '../../../http/client-address.ts';
import { accountOf, selfOf } from '../../../http/request-context.ts';
import { PageQuery, problems } from '../../../http/schemas.ts';
import { changePassword } from './change-password.ts';
import { endOwnSession, readOwnSessions, readOwnAccount } from './own-account.ts';
import type { AccountMailServices } from './mailed-token-routes.ts';
import type { ReauthenticationServices } from './reauthenticate.ts';
import {
  AccountSessionPage,
  UpdateAccountPasswordRequest,
  MailRequested,
  OwnAccount,
  PasswordUpdated,
  SessionPath,
} from './schemas.ts';
import { resendVerification } from './verify-email.ts';

/** The endpoints with which an account manages itself. They require a console account. */
export function ownAccountRoutes(
  services: AccountMailServices & ReauthenticationServices,
): FastifyPluginAsyncTypebox {
  const { database } = services;
  return async (app) => {
    app.get(
      '/api/saas-auth/me',
      {
        schema: {
          operationId: 'getOwnAccount',
          tags: ['Accounts'],
          summary: 'Get your account',
          description: 'Returns the account that is signed in and its roles in workspaces.',
          response: { 200: OwnAccount },
        },
      },
      async (request) => readOwnAccount(database, accountOf(request).accountId),
    );

    app.post(
      '/api/saas-auth/email/resend',
      {
        schema: {
          operationId: 'resendAccountVerification',
          tags: ['Accounts'],
          summary: 'Resend the verification email',
          description:
            'Mails a new verification token. Limit: 3 per account in 24 hours, with that of the sign-up. If the address is already verified, ' +
            'the response is 409.',
          response: { 202: MailRequested, ...problems(409) },
        },
      },
      async (request, reply) => {
        await services.accountMailBudget.spend(clientAddress(request));
        await resendVerification(services, selfOf(request));
        reply.code(202);
        return { status: 'accepted' as const };
      },
    );

    app.put(
      '/api/saas-auth/password',
      {
        schema: {
          operationId: 'updateAccountPassword',
          tags: ['Accounts'],
          summary: 'Change the password',
          description:
            'Send the current password and the new one. Ends all other sessions and their access tokens immediately.',
          body: UpdateAccountPasswordRequest,
          response: { 200: PasswordUpdated, ...problems(503) },
        },
      },
      async (request) => changePassword(services, selfOf(request), request.body),
    );

    app.get(
      '/api/saas-auth/sessions',
      {
        schema: {
          operationId: 'listAccountSessions',
          tags: ['Accounts'],
          summary: 'List your sessions',
          description: 'Returns the sessions that can still be refreshed, most recently used first.',
          querystring: PageQuery,
          response: { 200: AccountSessionPage },
        },
      },
      async (request) => readOwnSessions(database, selfOf(request), request.query),
    );

    app.delete(
      '/api/saas-auth/sessions/:sessionId',
      {
        schema: {
          operationId: 'endAccountSession',
          tags: ['Accounts'],
          summary: 'End one of your sessions',
          description:
            'The refresh token and the access tokens of the session stop working immediately. Idempotent.',
          params: SessionPath,
          response: { 204: Type.Null({ description: 'The session has ended.' }) },
        },
      },
      async (request, reply) => {
        await endOwnSession(database, selfOf(request), request.params.sessionId);
        return reply.code(204).send(null);
      },
    );
  };
}
