import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { originOf, selfOf } from '../../../http/request-context.ts';
import { Nullable, problems } from '../../../http/schemas.ts';
import { invalidField } from '../../../core/problem.ts';
import {
  confirmTotp,
  disableTotp,
  enrollTotp,
  renewRecoveryCodes,
  type TotpServices,
} from './manage-totp.ts';
import type { SessionServices } from './sessions.ts';
import {
  TotpCodeRequest,
  ReauthenticationRequest,
  RecoveryCodes,
  SecondFactorRequest,
  AccountTokens,
  TotpEnrollment,
} from './schemas.ts';
import { verifySecondFactor } from './verify-second-factor.ts';

/** The endpoint that completes a login with a second factor. It requires the `mfaToken` of the login. */
export function secondFactorRoutes(services: TotpServices & SessionServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/saas-auth/totp/verify',
      {
        schema: {
          operationId: 'verifyAccountTotp',
          tags: ['Accounts'],
          summary: 'Complete login with second factor',
          description:
            'Send the `mfaToken` of the login with a code of the authenticator app or a recovery code. Each code works once. ' +
            'Limits for wrong codes: 10 per account and hour, 100 per network and hour.',
          body: SecondFactorRequest,
          response: { 200: AccountTokens, ...problems(401) },
        },
      },
      async (request) => {
        const { code, recoveryCode } = request.body;
        if ((code === undefined) === (recoveryCode === undefined))
          throw invalidField(
            'code',
            'or recoveryCode is required, but not both',
            'Send either code or recoveryCode.',
          );
        return verifySecondFactor(services, originOf(request), request.body);
      },
    );
  };
}

/** The endpoints that manage the second factor. They require a console account. */
export function totpRoutes(services: TotpServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/saas-auth/totp/enroll',
      {
        schema: {
          operationId: 'enrollAccountTotp',
          tags: ['Accounts'],
          summary: 'Start adding a second factor',
          description:
            'Returns a new secret for an authenticator app. Confirm it with a code within 1 hour. After that, each login asks ' +
            'for a code. The email address must be verified. If the session is older than 5 minutes, send the current password. ' +
            'A password that is sent is always checked.',
          // A new session sends no password and no code, so it can omit the body.
          body: Nullable(ReauthenticationRequest),
          response: { 200: TotpEnrollment, ...problems(403, 409, 503) },
        },
      },
      async (request) => enrollTotp(services, selfOf(request), request.body ?? {}),
    );

    app.post(
      '/api/saas-auth/totp/confirm',
      {
        schema: {
          operationId: 'confirmAccountTotp',
          tags: ['Accounts'],
          summary: 'Turn on the second factor',
          description:
            'Send a code of the authenticator app. Returns ten recovery codes. Save them: they are not shown again.',
          body: TotpCodeRequest,
          response: { 200: RecoveryCodes, ...problems(409) },
        },
      },
      async (request) => confirmTotp(services, selfOf(request), request.body.code),
    );

    app.post(
      '/api/saas-auth/totp/recovery-codes',
      {
        schema: {
          operationId: 'rotateRecoveryCodes',
          tags: ['Accounts'],
          summary: 'Replace the recovery codes',
          description:
            'Send the current password or a code of the authenticator app. Returns ten new recovery codes. The old ones stop ' +
            'working.',
          body: ReauthenticationRequest,
          response: { 200: RecoveryCodes, ...problems(404, 503) },
        },
      },
      async (request) => renewRecoveryCodes(services, selfOf(request), request.body),
    );

    app.delete(
      '/api/saas-auth/totp',
      {
        schema: {
          operationId: 'disableAccountTotp',
          tags: ['Accounts'],
          summary: 'Remove the second factor',
          description:
            'Send the current password or a code of the authenticator app. The recovery codes are deleted too.',
          body: ReauthenticationRequest,
          response: {
            204: Type.Null({ description: 'The account has no second factor.' }),
            ...problems(404, 503),
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
