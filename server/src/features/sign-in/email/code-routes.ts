import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { CREDENTIAL_BODY_LIMIT } from '../../../http/bodies/body-limits.ts';
import { sourceOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { toSignInRequest, type SignInServices } from '../login/index.ts';
import { LoginResult } from '../tokens/index.ts';
import { EmailAddressRequest, CodeLoginRequest, SentCode } from './schemas.ts';
import { exchangeCode, sendCode, type SendCodeServices } from './tenant-codes.ts';
import type { CheckCodeServices } from './one-time-codes.ts';

export type EmailLoginServices = SignInServices & SendCodeServices & CheckCodeServices;

const tags = ['Player sign-in'];

/** Sign-in with a mailed code. Requires a game key. */
export function emailCodeRoutes(services: EmailLoginServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-auth/email/otc',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'sendOneTimeCode',
          tags,
          summary: 'Mail a one-time code',
          description:
            'Sends a code of six digits, valid for 10 minutes and five attempts. The response is the same for known and unknown ' +
            'addresses. A second request within 30 seconds sends no email and returns the existing code’s times. Limit: 20 emails a day ' +
            'from one tenant to one address.',
          body: EmailAddressRequest,
          response: { 200: SentCode, ...problems(422) },
        },
      },
      async (request) => sendCode(services, sourceOf(request), request.body.email),
    );

    app.post(
      '/api/player-auth/otc/exchange',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { usage: 'write', signsInWith: 'EmailOneTimeCode' },
        schema: {
          operationId: 'logInPlayerByCode',
          tags,
          summary: 'Sign in with a one-time code',
          description:
            'Creates the player if no player has the address, unless `createAccountIfMissing` is false. A code works once. A wrong, ' +
            'used or expired code returns the same 401. If a player signed up with the address and never verified it, this removes ' +
            'that player’s password, sessions and other sign-in methods. Limit: 10 wrong codes per address, and 100 in total, within 15 ' +
            'minutes from one network.',
          body: CodeLoginRequest,
          response: { 200: LoginResult, ...problems(403, 404, 422) },
        },
      },
      async (request) => exchangeCode(services, toSignInRequest(request.body, sourceOf(request))),
    );
  };
}
