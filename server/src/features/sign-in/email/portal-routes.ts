import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { clientAddress } from '../../../http/client-address.ts';
import { problems } from '../../../http/schemas.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { PortalTokens, type PortalSessionServices } from '../portal/index.ts';
import type { CheckCodeServices, CreateCodeServices } from './one-time-codes.ts';
import { exchangePortalCode, requestPortalCode } from './portal-codes.ts';
import { EmailAddressRequest, PortalCodeLoginRequest, SentCode } from './schemas.ts';

const tags = ['Player portal'];

/** Sign-in to the player portal with a mailed code. Requires no credential. */
export function emailPortalRoutes(
  services: PortalSessionServices & CreateCodeServices & CheckCodeServices & MailServices,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-portal-auth/email/otc',
      {
        schema: {
          operationId: 'sendPortalCode',
          tags,
          summary: 'Mail a portal code',
          description:
            'Sends a one-time code of six digits, valid for 10 minutes and five attempts. The response is the same for every address, ' +
            'but only an address that a player has verified gets an email. A second request within 30 seconds sends no email and returns ' +
            'the existing code’s times. Limit: 20 emails a day to one address.',
          body: EmailAddressRequest,
          response: { 200: SentCode },
        },
      },
      async (request) => requestPortalCode(services, clientAddress(request), request.body.email),
    );

    app.post(
      '/api/player-portal-auth/otc/exchange',
      {
        config: { signsInWith: 'PortalCode' },
        schema: {
          operationId: 'logInToPortalByCode',
          tags,
          summary: 'Sign in with a portal code',
          description:
            'Returns tokens for the player who has verified the address. Never creates a player. A code works once, and only in the ' +
            'portal. A wrong, used or expired code returns the same 401. Limit: 10 wrong codes per address, and 100 in total, within 15 ' +
            'minutes from one network.',
          body: PortalCodeLoginRequest,
          response: { 200: PortalTokens, ...problems(401) },
        },
      },
      async (request) => exchangePortalCode(services, { ...request.body, ipAddress: clientAddress(request) }),
    );
  };
}
