import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { bearerOf, billingOf, keyOf, originOf } from '../../../http/request-context.ts';
import { IdempotencyHeaders } from '../../../http/idempotency-key.ts';
import { problems } from '../../../http/schemas.ts';
import { exchangeToken, type ExchangeServices } from './exchange-token.ts';
import {
  CreateAssertionRequest,
  AssertionResult,
  ValidateAssertionRequest,
  ValidatedAssertion,
} from './schemas.ts';
import { validateAssertion } from './validate-assertion.ts';

/** Requires a game key, and an access token or a refresh token as bearer. */
export function assertionExchangeRoutes(services: ExchangeServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-auth/jwt/exchange',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'createAssertion',
          tags: ['Assertions'],
          summary: 'Issue an assertion',
          description:
            'An assertion proves the player’s identity to one third party, for 5 minutes. The bearer is the player’s access token, or ' +
            'a refresh token that the third party received with an earlier assertion. With a refresh token, the audience must be the ' +
            'same, and the response contains the next refresh token. If exchanges of one refresh token run in parallel without an ' +
            '`Idempotency-Key`, only one succeeds. A later reuse revokes the refresh token and all its successors. A repeated request ' +
            'with the same `Idempotency-Key` returns the same refresh token for 60 seconds, until that token is used. Answers 401 for ' +
            'an access token whose session was revoked for a reason of security.',
          headers: IdempotencyHeaders,
          body: CreateAssertionRequest,
          response: { 200: AssertionResult, ...problems(403) },
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

/** Requires a game key, and an assertion as bearer. */
export function assertionValidationRoutes({ database }: { database: Database }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-auth/jwt/validate',
      {
        config: { usage: 'read' },
        // A missing body returns the 401 of a missing audience instead of a validation error.
        preValidation: async (request) => void (request.body ??= {}),
        schema: {
          operationId: 'validateAssertion',
          tags: ['Assertions'],
          summary: 'Validate an assertion',
          description:
            'Returns the player of the assertion. Use it instead of verifying the assertion with the public keys, or to check whether the ' +
            'player was banned in the meantime. The request must contain the audience of the assertion.',
          body: ValidateAssertionRequest,
          response: { 200: ValidatedAssertion, ...problems(403) },
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
