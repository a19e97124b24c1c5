import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { originOf, selfOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { invalidField } from '../../../core/problem.ts';
import {
  confirmTotp,
  disableTotp,
  enrollTotp,
  renewRecoveryCodes,
  type TotpServices,
} from './manage-totp.ts';
import type { SessionServices } from './open-session.ts';
import { CodeBody, ProofBody, RecoveryCodes, SecondFactorBody, SignedIn, TotpEnrolment } from './schemas.ts';
import { verifySecondFactor } from './verify-second-factor.ts';

/** Open to a login that waits for its second factor. */
export function secondFactorRoutes(services: TotpServices & SessionServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/saas-auth/totp/verify',
      {
        schema: {
          operationId: 'verifyTotp',
          tags: ['Accounts'],
          summary: 'Finish a login with a second factor',
          description:
            'Takes the `mfaToken` of the login with a code of the app or a recovery code. Every code works once. Wrong codes ' +
            'are limited: 10 for an account and 100 for a network, within an hour.',
          body: SecondFactorBody,
          response: { 200: SignedIn, ...problems(401, 429) },
        },
      },
      async (request) => {
        const { code, recoveryCode } = request.body;
        if ((code === undefined) === (recoveryCode === undefined))
          throw invalidField('code', 'or recoveryCode is needed, and not both', 'Send code or recoveryCode.');
        return verifySecondFactor(services, originOf(request), request.body);
      },
    );
  };
}

/** Behind a dashboard account. */
export function totpRoutes(services: TotpServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/saas-auth/totp/enroll',
      {
        // A new session needs no proof, so no body either.
        preValidation: async (request) => void (request.body ??= {}),
        schema: {
          operationId: 'enrollTotp',
          tags: ['Accounts'],
          summary: 'Start adding a second factor',
          description:
            'Returns a new secret for an authenticator app. Logins ask for it once a code has confirmed it, within an hour. ' +
            'Needs a verified e-mail address, and the current password unless the session was opened within 15 minutes.',
          body: ProofBody,
          response: { 200: TotpEnrolment, ...problems(403, 409, 429, 503) },
        },
      },
      async (request) => enrollTotp(services, selfOf(request), request.body),
    );

    app.post(
      '/api/saas-auth/totp/confirm',
      {
        schema: {
          operationId: 'confirmTotp',
          tags: ['Accounts'],
          summary: 'Switch the second factor on',
          description: 'Takes a code of the app. Returns ten recovery codes, which are not shown again.',
          body: CodeBody,
          response: { 200: RecoveryCodes, ...problems(409, 429) },
        },
      },
      async (request) => confirmTotp(services, selfOf(request), request.body.code),
    );

    app.post(
      '/api/saas-auth/totp/recovery-codes',
      {
        schema: {
          operationId: 'renewRecoveryCodes',
          tags: ['Accounts'],
          summary: 'Replace the recovery codes',
          description:
            'Needs the current password or a code of the app. The old recovery codes stop working.',
          body: ProofBody,
          response: { 200: RecoveryCodes, ...problems(404, 429, 503) },
        },
      },
      async (request) => renewRecoveryCodes(services, selfOf(request), request.body),
    );

    app.delete(
      '/api/saas-auth/totp',
      {
        schema: {
          operationId: 'disableTotp',
          tags: ['Accounts'],
          summary: 'Remove the second factor',
          description: 'Needs the current password or a code of the app. The recovery codes are deleted.',
          body: ProofBody,
          response: {
            204: Type.Null({ description: 'The account has no second factor.' }),
            ...problems(404, 429, 503),
          },
        },
      },
      async (request, reply) => {
        await disableTotp(services, selfOf(request), request.body);
        return reply.code(204).send(null);
      },
    );
  };
}
