import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { KeyKind } from '../../../core/callers.ts';
import { idempotencyOf } from '../../../http/idempotency-key.ts';
import { authorOf } from '../../../http/request-context.ts';
import { problems, TenantPath } from '../../../http/schemas.ts';
import { changeKey, revokeKey, type ChangeKeyServices } from './change-key.ts';
import { createKey } from './create-key.ts';
import { readKeys } from './read-keys.ts';
import { rotateKey } from './rotate-key.ts';
import { KeyParams, KeyQuery, keySchemas, RotateKeyRequest } from './schemas.ts';

/** The endpoints of game keys and API keys. They require a console account. */
export function tenantKeyRoutes(services: ChangeKeyServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    await app.register(routesOf('game', gameKeyOperations, services));
    await app.register(routesOf('api', apiKeyOperations, services));
  };
}

const UPDATE_DESCRIPTION =
  'Omitted fields keep their value. If the key is revoked, or an expired key gets a new expiry while 1,000 others are valid, the response is 409.';

/** Both kinds of keys share handlers and differ in their paths, operation ids and texts. */
const gameKeyOperations = {
  path: '/api/bus_tenants/:tenantId/game-keys',
  list: { operationId: 'listGameKeys', summary: 'List game keys' },
  create: { operationId: 'createGameKey', summary: 'Create a game key' },
  update: { operationId: 'updateGameKey', summary: 'Update a game key', description: UPDATE_DESCRIPTION },
  rotate: { operationId: 'rotateGameKey', summary: 'Rotate a game key' },
  revoke: { operationId: 'revokeGameKey', summary: 'Revoke a game key' },
};

const apiKeyOperations: typeof gameKeyOperations = {
  path: '/api/bus_tenants/:tenantId/api-keys',
  list: { operationId: 'listApiKeys', summary: 'List API keys' },
  create: { operationId: 'createApiKey', summary: 'Create an API key' },
  update: {
    operationId: 'updateApiKey',
    summary: 'Update an API key',
    description: `${UPDATE_DESCRIPTION} It is also 409 if a rotated or expired key with a \`subscriberWorkspaceId\` gets a later expiry: set \`subscriberWorkspaceId\` to null in the same request.`,
  },
  rotate: { operationId: 'rotateApiKey', summary: 'Rotate an API key' },
  revoke: { operationId: 'revokeApiKey', summary: 'Revoke an API key' },
};

function routesOf(
  kind: KeyKind,
  operations: typeof gameKeyOperations,
  services: ChangeKeyServices,
): FastifyPluginAsyncTypebox {
  const { Key, KeyPage, CreatedKey, CreatedKeyOrRepeat, CreateBody, ChangeBody } = keySchemas[kind];
  const keysPath = operations.path;
  const keyPath = `${keysPath}/:keyId`;
  const tags = ['Tenants'];

  return async (app) => {
    app.get(
      keysPath,
      {
        config: { role: 'viewer' },
        schema: {
          ...operations.list,
          tags,
          description:
            'Returns the keys of the tenant, newest first. Revoked keys are included only if `includeRevoked` is true.',
          params: TenantPath,
          querystring: KeyQuery,
          response: { 200: KeyPage },
        },
      },
      async (request) => {
        const { includeRevoked, ...page } = request.query;
        const filter = { tenantId: request.params.tenantId, kind, includeRevoked };
        return readKeys(services.database, filter, page);
      },
    );

    app.post(
      keysPath,
      {
        config: { role: 'admin', idempotent: true },
        schema: {
          ...operations.create,
          tags,
          description:
            'The response contains the key. Save it: it is not shown again. If you repeat the request with the same ' +
            '`Idempotency-Key` within 24 hours, you receive the first response without the key. If the tenant has 1,000 keys of ' +
            'this kind that are neither revoked nor expired, or created 2,000 in the last 24 hours, the response is 409.',
          params: TenantPath,
          body: CreateBody,
          response: { 201: CreatedKeyOrRepeat, ...problems(409) },
        },
      },
      async (request, reply) => {
        const wanted = { ...request.body, tenantId: request.params.tenantId, kind };
        reply.code(201);
        return createKey(services, authorOf(request), wanted, idempotencyOf(request));
      },
    );

    app.patch(
      keyPath,
      {
        config: { role: 'admin' },
        schema: {
          ...operations.update,
          tags,
          params: KeyParams,
          body: ChangeBody,
          response: { 200: Key, ...problems(409) },
        },
      },
      async (request) => changeKey(services, authorOf(request), { ...request.params, kind }, request.body),
    );

    app.post(
      `${keyPath}/rotate`,
      {
        config: { role: 'admin' },
        schema: {
          ...operations.rotate,
          tags,
          description:
            'Creates a key with the name and settings of the old key, and returns it. Save it: it is not shown again. The old ' +
            'key expires after the grace period. If the old key has an expiry, the new key gets the same lifetime. If the old ' +
            'key is revoked, expired or already rotated, the response is 409. It is also 409 if the tenant has 1,000 valid keys of ' +
            'this kind and the grace period is not 0, or created 2,000 in the last 24 hours.',
          params: KeyParams,
          body: RotateKeyRequest,
          response: { 201: CreatedKey, ...problems(409) },
        },
      },
      async (request, reply) => {
        const reference = { ...request.params, kind };
        const graceSeconds = request.body?.gracePeriodSeconds;
        reply.code(201);
        return rotateKey(services, authorOf(request), reference, graceSeconds);
      },
    );

    app.delete(
      keyPath,
      {
        config: { role: 'admin' },
        schema: {
          ...operations.revoke,
          tags,
          description: 'The key stops working immediately. Idempotent: a second call returns 204 too.',
          params: KeyParams,
          response: { 204: Type.Null({ description: 'The key is revoked.' }) },
        },
      },
      async (request, reply) => {
        await revokeKey(services, authorOf(request), { ...request.params, kind });
        return reply.code(204).send(null);
      },
    );
  };
}
