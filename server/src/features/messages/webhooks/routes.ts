import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type, type TProperties } from 'typebox';
import type { Database } from '../../../database/database.ts';
import { authorOf } from '../../../http/request-context.ts';
import { Guid, PageQuery, problems } from '../../../http/schemas.ts';
import type { Jobs } from '../../../jobs/queue.ts';
import type { CreateBudget } from '../../../security/attempt-budget.ts';
import type { Vault } from '../../../security/vault.ts';
import { changeEndpoint, deleteEndpoint } from './change-endpoint.ts';
import { createEndpoint, type NewEndpoint } from './create-endpoint.ts';
import { readDelivery, readDeliveries } from './read-deliveries.ts';
import { readEndpoint, readEndpoints } from './read-endpoints.ts';
import { redeliver, testEndpoint } from './redeliver.ts';
import { scopeOf } from './queries.ts';
import { rotateSecret } from './rotate-secret.ts';
import {
  Delivery,
  DeliveryDetail,
  DeliveryPage,
  DeliveryQuery,
  NewPlatformWebhook,
  NewWebhook,
  RotateBody,
  Webhook,
  WebhookChange,
  WebhookPage,
  WebhookWithSecret,
} from './schemas.ts';

export interface WebhookServices {
  database: Database;
  vault: Vault;
  jobs: Jobs;
  config: { allowPrivateAddresses: boolean };
  createBudget: CreateBudget;
}

/** Tests and redeliveries of a workspace in a minute: each sends a request to a server of the workspace's choice. */
const SENDS = {
  name: 'webhook-sends',
  attempts: 120,
  seconds: 60,
  refusal:
    'At most 120 webhook tests and redeliveries a minute are allowed per workspace. Wait, and try again.',
};

/** Behind a dashboard account: the webhooks of a workspace and of its tenants. */
export function webhookRoutes(services: WebhookServices): FastifyPluginAsyncTypebox {
  return routesOf('workspace', services);
}

/** Behind a platform admin: the webhooks of the deployment, which are told of every workspace. */
export function platformWebhookRoutes(services: WebhookServices): FastifyPluginAsyncTypebox {
  return routesOf('platform', services);
}

/** What the two differ in: the paths, who may call, and that a workspace has tenants. */
const kinds = {
  workspace: {
    all: '/api/workspaces/:workspaceId/webhooks',
    place: { workspaceId: Guid } as TProperties,
    reads: { role: 'viewer' },
    changes: { role: 'admin' },
    Name: '',
    whose: 'of a workspace',
    tags: ['Webhooks'],
    New: NewWebhook,
  },
  platform: {
    all: '/api/admin/webhooks',
    place: {},
    reads: {},
    changes: {},
    Name: 'Platform',
    whose: 'of the deployment',
    tags: ['Administration'],
    New: NewPlatformWebhook,
  },
} as const;

function routesOf(
  kind: keyof typeof kinds,
  { database, vault, jobs, config, createBudget }: WebhookServices,
): FastifyPluginAsyncTypebox {
  const sends = createBudget(SENDS);
  /** The operator's own webhooks have no budget. */
  const spend = async ({ workspaceId }: { workspaceId: string | null }) => {
    if (workspaceId !== null) await sends.spend(workspaceId);
  };
  const { all, place, reads, changes, Name, whose, tags, New } = kinds[kind];
  const one = `${all}/:webhookId`;
  type Place = { workspaceId?: string };
  const Place = Type.Unsafe<Place>(Type.Object(place));
  const OnePlace = Type.Unsafe<Place & { webhookId: string }>(Type.Object({ ...place, webhookId: Guid }));
  const DeliveryPlace = Type.Unsafe<Place & { webhookId: string; deliveryId: string }>(
    Type.Object({ ...place, webhookId: Guid, deliveryId: Guid }),
  );
  const placeOf = ({ workspaceId = null }: { workspaceId?: string | null }) => ({ workspaceId });
  const endpointOf = ({ webhookId, ...params }: Place & { webhookId: string }) => ({
    ...placeOf(params),
    webhookId,
  });

  return async (app) => {
    app.get(
      all,
      {
        config: reads,
        schema: {
          operationId: `list${Name}Webhooks`,
          tags,
          summary: `The webhooks ${whose}`,
          description: 'The oldest first.',
          params: Place,
          querystring: PageQuery,
          response: { 200: WebhookPage },
        },
      },
      async (request) => {
        const place = placeOf(request.params);
        return readEndpoints(scopeOf(database, place), place, request.query);
      },
    );

    app.post(
      all,
      {
        config: changes,
        schema: {
          operationId: `create${Name}Webhook`,
          tags,
          summary: 'Create a webhook',
          description:
            'The answer holds the secret that deliveries are signed with. Keep it: it is not shown again. There may be 50 (409).',
          params: Place,
          body: Type.Unsafe<NewEndpoint>(New),
          response: { 201: WebhookWithSecret, ...problems(409) },
        },
      },
      async (request, reply) => {
        const place = placeOf(request.params);
        const created = await createEndpoint(
          { database, vault },
          config,
          authorOf(request),
          place,
          request.body,
        );
        return reply.code(201).send(created);
      },
    );

    app.get(
      one,
      {
        config: reads,
        schema: {
          operationId: `get${Name}Webhook`,
          tags,
          summary: 'A webhook',
          params: OnePlace,
          response: { 200: Webhook },
        },
      },
      async (request) => {
        const place = endpointOf(request.params);
        return readEndpoint(scopeOf(database, place), place);
      },
    );

    app.patch(
      one,
      {
        config: changes,
        schema: {
          operationId: `update${Name}Webhook`,
          tags,
          summary: 'Change a webhook',
          description: 'What is left out stays as it is. Enabled again, it goes on with what is due.',
          params: OnePlace,
          body: WebhookChange,
          response: { 200: Webhook },
        },
      },
      async (request) =>
        changeEndpoint(
          { database, jobs },
          config,
          authorOf(request),
          endpointOf(request.params),
          request.body,
        ),
    );

    app.delete(
      one,
      {
        config: changes,
        schema: {
          operationId: `delete${Name}Webhook`,
          tags,
          summary: 'Delete a webhook',
          description: 'Its deliveries are deleted with it.',
          params: OnePlace,
          response: { 204: Type.Null({ description: 'It is deleted.' }) },
        },
      },
      async (request, reply) => {
        await deleteEndpoint(database, authorOf(request), endpointOf(request.params));
        return reply.code(204).send(null);
      },
    );

    app.post(
      `${one}/test`,
      {
        config: changes,
        schema: {
          operationId: `test${Name}Webhook`,
          tags,
          summary: 'Send a test to a webhook',
          description:
            'A `webhook.test`, delivered like any other event. See its delivery for what came of it. A disabled webhook is a 409. At most 120 ' +
            'tests and redeliveries a minute are allowed per workspace (429).',
          params: OnePlace,
          response: { 202: Delivery, ...problems(409, 429) },
        },
      },
      async (request, reply) => {
        const place = endpointOf(request.params);
        await spend(place);
        return reply.code(202).send(await testEndpoint({ database, jobs }, authorOf(request), place));
      },
    );

    app.post(
      `${one}/rotate-secret`,
      {
        config: changes,
        schema: {
          operationId: `rotate${Name}WebhookSecret`,
          tags,
          summary: 'Give a webhook a new secret',
          description:
            'The answer holds it. Deliveries bear a signature by each of the two until the overlap is over. Rotated twice ' +
            'within it, the oldest signs no more.',
          params: OnePlace,
          body: RotateBody,
          response: { 200: WebhookWithSecret },
        },
      },
      async (request) => {
        const place = endpointOf(request.params);
        return rotateSecret({ database, vault }, authorOf(request), place, request.body?.overlapSeconds);
      },
    );

    app.get(
      `${one}/deliveries`,
      {
        config: reads,
        schema: {
          operationId: `list${Name}WebhookDeliveries`,
          tags,
          summary: 'The deliveries of a webhook',
          description: 'Those of the last 30 days, the newest first.',
          params: OnePlace,
          querystring: DeliveryQuery,
          response: { 200: DeliveryPage },
        },
      },
      async (request) => {
        const { limit, offset, ...filter } = request.query;
        const place = endpointOf(request.params);
        return readDeliveries(scopeOf(database, place), place, filter, { limit, offset });
      },
    );

    app.get(
      `${one}/deliveries/:deliveryId`,
      {
        config: reads,
        schema: {
          operationId: `get${Name}WebhookDelivery`,
          tags,
          summary: 'A delivery with all of its attempts',
          params: DeliveryPlace,
          response: { 200: DeliveryDetail },
        },
      },
      async (request) => {
        const { deliveryId, ...params } = request.params;
        const place = endpointOf(params);
        return readDelivery(scopeOf(database, place), place, deliveryId);
      },
    );

    app.post(
      `${one}/deliveries/:deliveryId/redeliver`,
      {
        config: changes,
        schema: {
          operationId: `redeliver${Name}Webhook`,
          tags,
          summary: 'Send a delivery again',
          description:
            'Whatever became of it: under the same `webhook-id`, and with all of its retries. While an attempt is being made, ' +
            'or the webhook is disabled, it is a 409.',
          params: DeliveryPlace,
          response: { 202: Delivery, ...problems(409, 429) },
        },
      },
      async (request, reply) => {
        const { deliveryId, ...params } = request.params;
        const place = endpointOf(params);
        await spend(place);
        const restarted = await redeliver({ database, jobs }, authorOf(request), place, deliveryId);
        return reply.code(202).send(restarted);
      },
    );
  };
}
