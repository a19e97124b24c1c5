import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { CREDENTIAL_BODY_LIMIT } from '../../../http/body-limits.ts';
import { clientAddress } from '../../../http/client-address.ts';
import { billingOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import type { CreateBudget } from '../../../security/attempt-budget.ts';
import { createLoginThrottle } from '../../../security/login-throttle.ts';
import { createSignUpThrottle } from '../../../security/sign-up-throttle.ts';
import { LoginResult } from '../tokens/index.ts';
import type { EmailLoginServices } from './code-routes.ts';
import { logIn } from './log-in.ts';
import { requestReset } from './request-reset.ts';
import { resetPassword } from './reset-password.ts';
import {
  EmailBody,
  LogInBody,
  ResetBody,
  ResetRequested,
  SignUpBody,
  Verified,
  VerifyBody,
} from './schemas.ts';
import { signUp } from './sign-up.ts';
import { verifyAddress } from './verify-address.ts';

const tags = ['Player sign-in'];

/** Behind a game key: sign-in with an address and a password. */
export function emailPasswordRoutes(
  services: EmailLoginServices & { createBudget: CreateBudget },
): FastifyPluginAsyncTypebox {
  const signUps = createSignUpThrottle(services.createBudget, 'players');
  const withThrottle = { ...services, throttle: createLoginThrottle(services.createBudget, 'players') };
  /** Where the request comes from: the tenant of its key, which must have the provider. */
  const origin = async (request: FastifyRequest) => {
    const billing = billingOf(request);
    await services.providerSettings.require(billing.tenantId, 'EmailPassword');
    return { billing, ipAddress: clientAddress(request) };
  };

  return async (app) => {
    app.post(
      '/api/player-auth/email/signup',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { usage: 'write' },
        schema: {
          operationId: 'signUpPlayer',
          tags,
          summary: 'Create a player with an e-mail address and a password',
          description:
            'Signs the player in, and mails a token that verifies the address. An address is taken once. One network may create ' +
            '600 players in 10 minutes.',
          body: SignUpBody,
          response: { 201: LoginResult, ...problems(403, 409, 422, 429, 503) },
        },
      },
      async (request, reply) => {
        const from = await origin(request);
        // Before the address is looked up: 409 tells that somebody has it.
        await signUps.spend(from.ipAddress);
        reply.code(201);
        return signUp(services, { ...request.body, ...from });
      },
    );

    app.post(
      '/api/player-auth/email/tenant-login',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { usage: 'write' },
        schema: {
          operationId: 'logInPlayerByPassword',
          tags,
          summary: 'Sign in with an e-mail address and a password',
          description:
            'Creates nobody. Wrong passwords are limited: 10 for an address and 100 in all, within 15 minutes from one network.',
          body: LogInBody,
          response: { 200: LoginResult, ...problems(403, 422, 429, 503) },
        },
      },
      async (request) => logIn(withThrottle, { ...request.body, ...(await origin(request)) }),
    );

    app.post(
      '/api/player-auth/email/verify',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'verifyEmailAddress',
          tags,
          summary: 'Verify an e-mail address',
          description:
            'With the token that was mailed at sign-up. It works once, for 24 hours, in the tenant of the sign-up.',
          body: VerifyBody,
          response: { 200: Verified, ...problems(422) },
        },
      },
      async (request) => {
        const { billing } = await origin(request);
        return verifyAddress(services, billing, request.body.token);
      },
    );

    app.post(
      '/api/player-auth/email/password-reset/request',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'requestPasswordReset',
          tags,
          summary: 'Mail a token that sets a new password',
          description:
            'The answer is the same whether or not somebody has the address. Of the requests within the same half minute one sends a mail.',
          body: EmailBody,
          response: { 202: ResetRequested, ...problems(422, 429) },
        },
      },
      async (request, reply) => {
        const { billing, ipAddress } = await origin(request);
        await services.mailBudget.spend(ipAddress, request.body.email);
        await requestReset(services, billing, request.body.email);
        reply.code(202);
        return { status: 'accepted' as const };
      },
    );

    app.post(
      '/api/player-auth/email/password-reset/confirm',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'resetPassword',
          tags,
          summary: 'Set a new password',
          description:
            'With a mailed token, which works once, for an hour, in the tenant that it was asked for in. It verifies the address, ' +
            'and ends the refreshing of all of the player’s sessions.',
          body: ResetBody,
          response: { 200: Verified, ...problems(422, 503) },
        },
      },
      async (request) => {
        const { billing } = await origin(request);
        return resetPassword(services, billing, request.body);
      },
    );
  };
}
