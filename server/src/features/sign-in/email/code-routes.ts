import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { clientAddress } from '../../../http/client-address.ts';
import { CREDENTIAL_BODY_LIMIT } from '../../../http/body-limits.ts';
import { billingOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import type { SignInServices } from '../login/index.ts';
import { LoginResult } from '../tokens/index.ts';
import { exchangeCode } from './exchange-code.ts';
import { EmailBody, ExchangeBody, SentCode } from './schemas.ts';
import { sendCode, type SendCodeServices } from './send-code.ts';

export type EmailLoginServices = SignInServices & SendCodeServices;

const tags = ['Player sign-in'];

/** Behind a game key: sign-in by a code that is mailed. */
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
            'Six digits, for 10 minutes and five tries. The answer is the same whether or not somebody has the address. Within 30 ' +
            'seconds of a code no other one is sent, and the answer is about that one. An address gets up to 20 mails a day from a tenant.',
          body: EmailBody,
          response: { 200: SentCode, ...problems(422, 429) },
        },
      },
      async (request) => {
        const asker = { billing: billingOf(request), ipAddress: clientAddress(request) };
        return sendCode(services, asker, request.body.email);
      },
    );

    app.post(
      '/api/player-auth/otc/exchange',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { usage: 'write' },
        schema: {
          operationId: 'exchangeOneTimeCode',
          tags,
          summary: 'Sign in with a one-time code',
          description:
            'Creates the player where nobody has the address, unless `createAccountIfMissing` is false. A code works once. A wrong, ' +
            'a used and an expired one are the same 401. Who signed up with the address before, and never verified it, loses ' +
            'their password, sessions and other sign-in methods.',
          body: ExchangeBody,
          response: { 200: LoginResult, ...problems(403, 404, 422) },
        },
      },
      async (request) => {
        const { email, createAccountIfMissing, ...rest } = request.body;
        return exchangeCode(services, {
          ...rest,
          which: { email },
          mode: createAccountIfMissing ? 'login' : 'only-existing',
          billing: billingOf(request),
          ipAddress: clientAddress(request),
        });
      },
    );
  };
}
