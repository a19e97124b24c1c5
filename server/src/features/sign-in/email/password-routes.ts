import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { CREDENTIAL_BODY_LIMIT } from '../../../http/bodies/body-limits.ts';
import { originOf, playerOf, sourceOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import type { GuessThrottle } from '../../../security/guess-throttle.ts';
import type { SignUpBudget } from '../../../security/sign-up-budget.ts';
import { LoginResult } from '../tokens/index.ts';
import type { EmailLoginServices } from './code-routes.ts';
import { verifyAddress } from './email-tokens.ts';
import { requestReset, resetPassword } from './password-reset.ts';
import { logIn, signUp } from './password-sign-in.ts';
import { resendVerification } from './resend-verification.ts';
import {
  EmailAddressRequest,
  PlayerPasswordLoginRequest,
  ResetPlayerPasswordRequest,
  PasswordResetRequested,
  PlayerSignUpRequest,
  VerificationRequested,
  VerifiedEmail,
  VerifyPlayerEmailRequest,
} from './schemas.ts';

const tags = ['Player sign-in'];

/** Sign-in with an email address and a password. Requires a game key. */
export function emailPasswordRoutes(
  services: EmailLoginServices & { playerLoginThrottle: GuessThrottle; playerSignUpBudget: SignUpBudget },
): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-auth/email/signup',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { usage: 'write', signsInWith: 'EmailPassword' },
        schema: {
          operationId: 'signUpPlayer',
          tags,
          summary: 'Sign up with a password',
          description:
            'Creates a player with an email address and a password, signs the player in, and mails a token that verifies the ' +
            'address. Returns 409 if a player has the address. Limit: 600 players in 10 minutes from one network.',
          body: PlayerSignUpRequest,
          response: { 201: LoginResult, ...problems(403, 409, 422, 503) },
        },
      },
      async (request, reply) => {
        const source = await enabledSourceOf(services, request);
        // Count before the lookup, because a 409 discloses that the address is taken.
        await services.playerSignUpBudget.spend(source.ipAddress);
        reply.code(201);
        return signUp(services, { ...request.body, ...source });
      },
    );

    app.post(
      '/api/player-auth/email/tenant-login',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { usage: 'write', signsInWith: 'EmailPassword' },
        schema: {
          operationId: 'logInPlayerByPassword',
          tags,
          summary: 'Sign in with a password',
          description:
            'Signs in with an email address and a password. Never creates a player. Limit: 10 wrong passwords per address, and 100 ' +
            'in total, within 15 minutes from one network.',
          body: PlayerPasswordLoginRequest,
          response: { 200: LoginResult, ...problems(403, 422, 503) },
        },
      },
      async (request) => logIn(services, { ...request.body, ...(await enabledSourceOf(services, request)) }),
    );

    app.post(
      '/api/player-auth/email/verify',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'verifyPlayerEmail',
          tags,
          summary: 'Verify an email address',
          description:
            'Takes the token of a verification email. The token works once, for 24 hours, in the tenant that requested it.',
          body: VerifyPlayerEmailRequest,
          response: { 200: VerifiedEmail, ...problems(422) },
        },
      },
      async (request) => {
        const { billing } = await enabledSourceOf(services, request);
        return verifyAddress(services, billing, request.body.token);
      },
    );

    app.post(
      '/api/player-auth/email/password-reset/request',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'requestPlayerPasswordReset',
          tags,
          summary: 'Request a password reset',
          description:
            'Mails a token that sets a new password. The response is the same for known and unknown addresses. Requests for one address ' +
            'in the same half minute of the clock send one email.',
          body: EmailAddressRequest,
          response: { 202: PasswordResetRequested, ...problems(422) },
        },
      },
      async (request, reply) => {
        const { billing, ipAddress } = await enabledSourceOf(services, request);
        const { email } = request.body;
        await services.mailBudget.count(ipAddress, email, async () => ({
          isSent: await requestReset(services, billing, email),
        }));
        reply.code(202);
        return { status: 'accepted' as const };
      },
    );

    app.post(
      '/api/player-auth/email/password-reset/confirm',
      {
        config: { usage: 'write', passesHardStop: true },
        schema: {
          operationId: 'resetPlayerPassword',
          tags,
          summary: 'Set a new password',
          description:
            'Takes the mailed token. The token works once, for one hour, in the tenant that requested it. The request also verifies ' +
            'the address, ends all sessions of the player (their refresh tokens stop working), and mails a notice to the verified ' +
            'addresses of the player. A hard stop of the plan does not refuse it.',
          body: ResetPlayerPasswordRequest,
          response: { 200: VerifiedEmail, ...problems(422, 503) },
        },
      },
      async (request) => {
        const source = { ...(await enabledSourceOf(services, request)), origin: originOf(request) };
        return resetPassword(services, source, request.body);
      },
    );
  };
}

/** Requires a game key, and a player's access token as bearer. */
export function emailVerificationRoutes(services: EmailLoginServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-auth/email/resend',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'resendPlayerVerification',
          tags,
          summary: 'Resend the verification email',
          description:
            'Mails another token that verifies the address of the sign-up. The earlier tokens stay valid. The bearer is an access token ' +
            'of the player, because a player can play before the address is verified. A request within 30 seconds of the last email sends ' +
            'none. Answers 409 if the player has no address to verify.',
          response: { 202: VerificationRequested, ...problems(403, 409, 422) },
        },
      },
      async (request, reply) => {
        const source = await enabledSourceOf(services, request);
        await resendVerification(services, source, playerOf(request));
        reply.code(202);
        return { status: 'accepted' as const };
      },
    );
  };
}

/** The source of a request. Throws provider_not_available if the tenant has not enabled the sign-in with a password. */
async function enabledSourceOf({ providerSettings }: EmailLoginServices, request: FastifyRequest) {
  const source = sourceOf(request);
  await providerSettings.require(source.billing.tenantId, 'EmailPassword');
  return source;
}
