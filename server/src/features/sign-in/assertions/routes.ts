import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { bearerOf, billingOf, keyOf, originOf } from '../../../http/request-context.ts';
import { IdempotencyHeaders } from '../../../http/idempotency-key.ts';
import { problems } from '../../../http/schemas.ts';
import { exchangeToken, type ExchangeServices } from './exchange-token.ts';
import { ExchangeBody, ExchangeResult, ValidateBody, ValidateResult } from './schemas.ts';
import { validateAssertion } from './validate-assertion.ts';

/** Behind a game key and a token to exchange. */
export function assertionExchangeRoutes(services: ExchangeServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-auth/jwt/exchange',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'exchangeForAssertion',
          tags: ['Assertions'],
          summary: 'Get an assertion for a third party',
          description:
            'An assertion tells one third party who the player is, for five minutes. The bearer is the player’s access token, ' +
            'or a refresh token that the third party got with an earlier assertion: then the audience must be the same, and ' +
            'the refresh token is exchanged too. Of parallel exchanges without an `Idempotency-Key` only one succeeds. A ' +
            'refresh token that is used again later ends itself and all that followed from it. With an `Idempotency-Key` ' +
            'an equal exchange gets the same refresh token again within 60 seconds, until it is used.',
          headers: IdempotencyHeaders,
          body: ExchangeBody,
          response: { 200: ExchangeResult, ...problems(403) },
        },
      },
      async (request) =>
        exchangeToken(services, {
          ...request.body,
          billing: billingOf(request),
          bearer: bearerOf(request),
          origin: originOf(request),
          idempotencyKey: request.headers['idempotency-key'],
        }),
    );
  };
}

/** Behind a game key and an assertion. */
export function assertionValidationRoutes(database: Database): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-auth/jwt/validate',
      {
        config: { usage: 'read' },
        // Without a body there is no audience, which is the 401 of a missing audience and no matter of the shape.
        preValidation: async (request) => void (request.body ??= {}),
        schema: {
          operationId: 'validateAssertion',
          tags: ['Assertions'],
          summary: 'Check an assertion',
          description:
            'For who does not verify the assertion with the public keys, or wants to know whether the player was banned since. ' +
            'It is good for its audience alone, which must be given.',
          body: ValidateBody,
          response: { 200: ValidateResult, ...problems(403) },
        },
      },
      async (request) => {
        const { tenantId } = keyOf(request);
        const assertion = await validateAssertion(
          database,
          tenantId,
          bearerOf(request),
          request.body.audience,
        );
        return { active: true as const, ...assertion };
      },
    );
  };
}
