import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Database } from '../../../database/database.ts';
import { idempotencyOf } from '../../../http/idempotency-key.ts';
import { authorOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { runOnce } from '../../platform/idempotency/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import type { KeyAuthenticator } from './authenticate-key.ts';
import { changeKey, revokeKey } from './change-key.ts';
import { createKey } from './create-key.ts';
import type { TenantKey } from './queries.ts';
import { readKeys } from './read-keys.ts';
import { rotateKey } from './rotate-key.ts';
import { KeyParams, KeyQuery, keySchemas, RotateBody, TenantParams } from './schemas.ts';

export interface TenantKeyServices extends MailServices {
  database: Database;
  keys: KeyAuthenticator;
}

/** Behind a dashboard account: the keys of both kinds, which differ in little. */
export function tenantKeyRoutes(services: TenantKeyServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    await app.register(routesOf('game', { Kind: 'Game', words: 'game key', path: 'game-keys' }, services));
    await app.register(routesOf('api', { Kind: 'Api', words: 'API key', path: 'api-keys' }, services));
  };
}

interface Naming {
  Kind: string;
  words: string;
  path: string;
}

function routesOf(
  kind: 'game' | 'api',
  { Kind, words, path }: Naming,
  services: TenantKeyServices,
): FastifyPluginAsyncTypebox {
  const { database, keys } = services;
  const { Key, KeyPage, CreatedKey, CreatedKeyOrRepeat, CreateBody, ChangeBody } = keySchemas[kind];
  const all = `/api/bus_tenants/:tenantId/${path}`;
  const one = `${all}/:keyId`;
  const tags = ['Tenants'];

  return async (app) => {
    app.get(
      all,
      {
        config: { role: 'viewer' },
        schema: {
          operationId: `list${Kind}Keys`,
          tags,
          summary: `The ${words}s of a tenant`,
          description: 'The oldest first; without the revoked ones, unless `includeRevoked` is true.',
          params: TenantParams,
          querystring: KeyQuery,
          response: { 200: KeyPage },
        },
      },
      async (request) => {
        const { includeRevoked, ...page } = request.query;
        return readKeys(database, { tenantId: request.params.tenantId, kind, includeRevoked }, page);
      },
    );

    app.post(
      all,
      {
        config: { role: 'admin', idempotent: true },
        schema: {
          operationId: `create${Kind}Key`,
          tags,
          summary: `Create a ${words}`,
          description:
            'The answer holds the key. Save it: it is not shown again. With an `Idempotency-Key` an equal request gets the ' +
            'first answer again for 24 hours, without the key.',
          params: TenantParams,
          body: CreateBody,
          response: { 201: CreatedKeyOrRepeat },
        },
      },
      async (request, reply) => {
        const { tenantId } = request.params;
        const wanted = { ...request.body, tenantId, kind };
        reply.code(201);
        return database
          .forTenant(tenantId)
          .transaction((transaction) =>
            runOnce(
              transaction,
              idempotencyOf(request),
              () => createKey(transaction, services, authorOf(request), wanted),
              withoutSecret,
            ),
          );
      },
    );

    app.patch(
      one,
      {
        config: { role: 'admin' },
        schema: {
          operationId: `update${Kind}Key`,
          tags,
          summary: `Change a ${words}`,
          description: 'What is left out stays as it is. A revoked key cannot be changed (409).',
          params: KeyParams,
          body: ChangeBody,
          response: { 200: Key, ...problems(409) },
        },
      },
      async (request) => {
        const changed = await changeKey(
          services,
          authorOf(request),
          { ...request.params, kind },
          request.body,
        );
        keys.invalidate();
        return changed;
      },
    );

    app.post(
      `${one}/rotate`,
      {
        config: { role: 'admin' },
        schema: {
          operationId: `rotate${Kind}Key`,
          tags,
          summary: `Put a new ${words} in the place of one`,
          description:
            'The answer holds a new key with the name and the traits of the old one, which expires after the grace period. A ' +
            'key with an expiry is followed by one that lives as long. One that is revoked, expired or rotated is a 409.',
          params: KeyParams,
          body: RotateBody,
          response: { 201: CreatedKey, ...problems(409) },
        },
      },
      async (request, reply) => {
        const place = { ...request.params, kind };
        const { gracePeriodSeconds } = request.body;
        const successor = await rotateKey(services, authorOf(request), place, gracePeriodSeconds);
        keys.invalidate();
        return reply.code(201).send(successor);
      },
    );

    app.delete(
      one,
      {
        config: { role: 'admin' },
        schema: {
          operationId: `revoke${Kind}Key`,
          tags,
          summary: `Revoke a ${words}`,
          description: 'It stops working at once. Revoking it again changes nothing.',
          params: KeyParams,
          response: { 204: Type.Null({ description: 'The key is revoked.' }) },
        },
      },
      async (request, reply) => {
        await revokeKey(database, authorOf(request), { ...request.params, kind });
        keys.invalidate();
        return reply.code(204).send(null);
      },
    );
  };
}

/** The answer to a repeated creation. */
function withoutSecret({ key: _, ...shown }: TenantKey & { key: string }): TenantKey & { key?: string } {
  return shown;
}
