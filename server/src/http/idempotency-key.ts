import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { problems } from './schemas.ts';

/** The request headers of operations that a client may repeat. Header names are compared in lower case. */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: 128,
      pattern: '^[!-~]*$',
      description:
        'A random text of 8 to 128 visible ASCII characters, such as a UUID. Use a new one for each action.',
    }),
  ),
});

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the answer to a request with an `Idempotency-Key` is kept: then the handler passes {@link idempotencyOf} on. */
    idempotent?: boolean;
  }
}

/** A request whose answer is kept, so that the same request gets it again. */
export interface IdempotentRequest {
  tenantId: string;
  /** The player, the key or the account that sends the request. */
  callerId: string;
  operation: string;
  key: string;
  /** SHA-256 of the path parameters and the body. */
  hash: Buffer;
}

/** Declares the header and its errors on each route with `config.idempotent`. */
export function declareIdempotency(app: FastifyInstance): void {
  app.addHook('onRoute', ({ config, schema }) => {
    if (!config?.idempotent || !schema) return;
    schema.headers = IdempotencyHeaders;
    schema.response = { ...problems(422), ...(schema.response as object) };
  });
}

/** What identifies a request to a route of a tenant with `config.idempotent`; undefined if it has no `Idempotency-Key`. */
export function idempotencyOf(request: FastifyRequest): IdempotentRequest | undefined {
  const key = request.headers['idempotency-key'] as string | undefined;
  if (key === undefined) return undefined;
  const { keyCaller, playerCaller, accountCaller, routeOptions, params, body } = request;
  const tenantId = keyCaller?.tenantId ?? (params as { tenantId?: string }).tenantId;
  const callerId = playerCaller?.playerId ?? keyCaller?.keyId ?? accountCaller?.accountId;
  const operation = routeOptions.schema?.operationId;
  if (!routeOptions.config.idempotent || !tenantId || !callerId || !operation)
    throw new Error(`${routeOptions.url} cannot keep answers.`);
  // In the order in which the members were sent: to sort those of 1 MiB takes 150 ms, and a client repeats what it sent.
  const hash = createHash('sha256')
    .update(JSON.stringify([params, body]))
    .digest();
  return { tenantId, callerId, operation, key, hash };
}
