import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { clientAddress } from '../../../http/client-address.ts';
import { originOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import type { NetworkBudget } from '../../../security/network-budget.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { requestReset, resetPassword } from './reset-password.ts';
import {
  AccountEmailRequest,
  VerifiedAccountEmail,
  MailRequested,
  ResetAccountPasswordRequest,
  VerifyAccountEmailRequest,
} from './schemas.ts';
import { verifyEmail } from './verify-email.ts';

export interface AccountMailServices extends MailServices {
  database: Database;
  /** The base URL of the deployment. */
  issuer: string;
  /** Limits the account emails that one network can request. */
  accountMailBudget: NetworkBudget;
}

/** The endpoints that mail tokens or require only a mailed token. */
export function accountMailRoutes(services: AccountMailServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/saas-auth/email/verify',
      {
        schema: {
          operationId: 'verifyAccountEmail',
          tags: ['Accounts'],
          summary: 'Verify an email address',
          description: 'Send the token that was mailed at sign-up. It works once, for 24 hours.',
          body: VerifyAccountEmailRequest,
          response: { 200: VerifiedAccountEmail, ...problems(401) },
        },
      },
      async (request) => verifyEmail(services, originOf(request), request.body.token),
    );

    app.post(
      '/api/saas-auth/password-reset/request',
      {
        schema: {
          operationId: 'requestAccountPasswordReset',
          tags: ['Accounts'],
          summary: 'Request a password reset',
          description:
            'If an account has the address, a token is mailed. The response is the same for every address. Requests for one address ' +
            'in the same half minute of the clock send one email. An account can have at most 3 tokens that have not expired.',
          body: AccountEmailRequest,
          response: { 202: MailRequested },
        },
      },
      async (request, reply) => {
        await services.accountMailBudget.spend(clientAddress(request));
        await requestReset(services, request.body.email);
        reply.code(202);
        return { status: 'accepted' as const };
      },
    );

    app.post(
      '/api/saas-auth/password-reset/confirm',
      {
        schema: {
          operationId: 'resetAccountPassword',
          tags: ['Accounts'],
          summary: 'Set a new password',
          description:
            'Send the mailed token and a new password. The token works once, for 1 hour. All sessions end, and the address is ' +
            'verified. A second factor is not removed: the next login asks for it.',
          body: ResetAccountPasswordRequest,
          response: { 200: VerifiedAccountEmail, ...problems(401, 503) },
        },
      },
      async (request) => resetPassword(services, originOf(request), request.body),
    );
  };
}
