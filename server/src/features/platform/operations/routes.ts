import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { JWK } from 'jose';
import { Type } from 'typebox';
import type { Database } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { problems } from '../../../http/schemas.ts';
import type { TokenSigner } from '../signing-keys/index.ts';
import { createDatabaseCheck } from './check-database.ts';

/** A public key (RFC 7517). */
const JsonWebKey = Type.Object(
  {
    kid: Type.String({ description: 'The `kid` in the header of the tokens that the key signs.' }),
    kty: Type.Literal('EC'),
    crv: Type.Literal('P-256'),
    x: Type.String(),
    y: Type.String(),
    alg: Type.Literal('ES256'),
    use: Type.Literal('sig'),
  },
  { title: 'JsonWebKey' },
);

const JsonWebKeySet = Type.Object(
  { keys: Type.Array(Type.Unsafe<JWK>(JsonWebKey)) },
  { title: 'JsonWebKeySet' },
);

const Status = Type.Object({ status: Type.Literal('ok') }, { title: 'HealthStatus' });

/** The public endpoints for load balancers and for services that verify tokens. */
export function operationsRoutes({
  database,
  signer,
}: {
  database: Database;
  signer: TokenSigner;
}): FastifyPluginAsyncTypebox {
  const checkDatabase = createDatabaseCheck(database);
  return async (app) => {
    app.get(
      '/health/live',
      {
        config: { cost: 0 },
        schema: {
          operationId: 'getLiveness',
          tags: ['Operations'],
          summary: 'Check that the process is running',
          description: 'Returns 200 if the process answers requests. Use it as a liveness probe.',
          response: { 200: Status },
        },
      },
      async () => ({ status: 'ok' as const }),
    );

    app.get(
      '/health/ready',
      {
        config: { cost: 0 },
        schema: {
          operationId: 'getReadiness',
          tags: ['Operations'],
          summary: 'Check that the server is ready',
          description:
            'Returns 200 if the database answers, and 503 if it does not or the server is about to stop. Use it as a readiness probe. ' +
            'The result is up to 250 ms old.',
          response: { 200: Status, ...problems(503) },
        },
      },
      async () => {
        if (app.isStopping())
          throw new ProblemError('unavailable', {
            detail: 'The server is about to stop. Send the request to another server.',
            retryAfter: 5,
          });
        await checkDatabase();
        return { status: 'ok' as const };
      },
    );

    app.get(
      '/.well-known/jwks.json',
      {
        schema: {
          operationId: 'getPublicKeys',
          tags: ['Operations'],
          summary: 'Get the public keys (JWKS)',
          description:
            'Returns the public keys that verify access tokens. Clients can cache them for 5 minutes.',
          response: {
            200: JsonWebKeySet,
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
