import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { EMPTY_GUID } from '../core/ids.ts';
import type { BillingContext } from '../core/billing-context.ts';
import { anyBillingOf } from './request-context.ts';
import { problems } from './schemas.ts';

/** The request headers of idempotent operations. Validation compares header names in lower case. */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: 128,
      pattern: '^[!-~]*$',
      description:
        'A random string of 8 to 128 visible ASCII characters, such as a UUID. Use a new one for each action.',
    }),
  ),
});

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether the response to a request with an `Idempotency-Key` is stored. The handler must pass on {@link
     * idempotencyOf}.
     */
    idempotent?: boolean;
  }
}

/** Identifies a request whose response is stored. An identical request gets the same response. */
export interface IdempotentRequest {
  /** {@link NO_TENANT_ID} if the request is about no tenant. The transaction must enter its scope. */
  tenantId: string;
  /** The player, the key or the account that sends the request. */
  callerId: string;
  operation: string;
  key: string;
  /** SHA-256 of the path parameters and the body. */
  hash: Buffer;
  /** Who pays for the request, if it has a key. */
  billing: BillingContext | undefined;
}

/** The tenant id of requests that are about no tenant. No tenant has it, because tenant ids are UUIDv7. */
export const NO_TENANT_ID = EMPTY_GUID;

/** Declares the header and its errors on each route with `config.idempotent`. */
export function declareIdempotency(app: FastifyInstance): void {
  app.addHook('onRoute', ({ config, schema }) => {
    if (!config?.idempotent || !schema) return;
    schema.headers = IdempotencyHeaders;
    schema.response = { ...problems(422), ...(schema.response as object) };
  });
}

/** Identifies a request to a route with `config.idempotent`. Undefined if the request has no `Idempotency-Key`. */
export function idempotencyOf(request: FastifyRequest): IdempotentRequest | undefined {
  const key = request.headers['idempotency-key'] as string | undefined;
  if (key === undefined) return undefined;
  const { keyCaller, playerCaller, accountCaller, routeOptions, params, body } = request;
  const tenantId = keyCaller?.tenantId ?? (params as { tenantId?: string }).tenantId ?? NO_TENANT_ID;
  const callerId = playerCaller?.playerId ?? keyCaller?.keyId ?? accountCaller?.accountId;
  const operation = routeOptions.schema?.operationId;
  if (!routeOptions.config.idempotent || !callerId || !operation)
    throw new Error(
      `${routeOptions.url} cannot store responses: it needs config.idempotent, a caller and an operationId.`,
    );
  // Members are hashed in the order in which they were sent. Sorting 1 MiB of members takes 150 ms.
  const hash = createHash('sha256')
    .update(JSON.stringify([params, body]))
    .digest();
  return { tenantId, callerId, operation, key, hash, billing: anyBillingOf(request) };
}
