import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { clientAddress } from '../../../http/client-address.ts';
import { problems } from '../../../http/schemas.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { PortalTokensShape, type SessionServices } from '../portal/index.ts';
import { exchangePortalCode } from './exchange-portal-code.ts';
import type { OpenCodeServices } from './open-code.ts';
import { EmailBody, PortalExchangeBody, SentCode } from './schemas.ts';
import { requestPortalCode } from './send-portal-code.ts';

const tags = ['Player portal'];

/** Open to anyone: players prove who they are by a code that is mailed. */
export function emailPortalRoutes(
  services: SessionServices & OpenCodeServices & MailServices,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-portal-auth/email/otc',
      {
        schema: {
          operationId: 'sendPortalCode',
          tags,
          summary: 'Mail a one-time code for the portal',
          description:
            'Six digits, for 10 minutes and five tries. The answer is the same for every address; a mail goes only to one that a ' +
            'player has verified. Within 30 seconds of a code no other one is sent, and the answer is about that one. An address ' +
            'gets up to 20 mails a day.',
          body: EmailBody,
          response: { 200: SentCode, ...problems(429) },
        },
      },
      async (request) => requestPortalCode(services, clientAddress(request), request.body.email),
    );

    app.post(
      '/api/player-portal-auth/otc/exchange',
      {
        schema: {
          operationId: 'exchangePortalCode',
          tags,
          summary: 'Sign in to the portal with a one-time code',
          description:
            'Gives the tokens of the player who has verified the address; it creates nobody. A code works once, and in the portal ' +
            'alone. A wrong, a used and an expired one are the same 401.',
          body: PortalExchangeBody,
          response: { 200: PortalTokensShape, ...problems(401) },
        },
      },
      async (request) => exchangePortalCode(services, request.body),
    );
  };
}
