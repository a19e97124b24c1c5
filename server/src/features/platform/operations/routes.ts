import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Database } from '../../../database/database.ts';
import { problems } from '../../../http/schemas.ts';
import type { TokenSigner } from '../signing-keys/index.ts';
import { checkDatabase } from './check-database.ts';

const Status = Type.Object({ status: Type.Literal('ok') });

/** Open to anyone: for load balancers and for those who verify our tokens. */
export function operationsRoutes(database: Database, signer: TokenSigner): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/health/live',
      {
        schema: {
          operationId: 'isLive',
          tags: ['Operations'],
          summary: 'Whether the process answers',
          response: { 200: Status },
        },
      },
      async () => ({ status: 'ok' as const }),
    );

    app.get(
      '/health/ready',
      {
        schema: {
          operationId: 'isReady',
          tags: ['Operations'],
          summary: 'Whether the server can do its work',
          description: 'Checks the database.',
          response: { 200: Status, ...problems(503) },
        },
      },
      async () => {
        await checkDatabase(database);
        return { status: 'ok' as const };
      },
    );

    app.get(
      '/.well-known/jwks.json',
      {
        schema: {
          operationId: 'getPublicKeys',
          tags: ['Operations'],
          summary: 'The public keys of access tokens (JWKS)',
          response: {
            200: Type.Object({ keys: Type.Array(Type.Object({}, { additionalProperties: true })) }),
          },
        },
      },
      async (_request, reply) => {
        reply.header('cache-control', 'public, max-age=300');
        return signer.publicKeys();
      },
    );
  };
}
