import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Database } from '../../../database/database.ts';
import { authorOf } from '../../../http/request-context.ts';
import { PageQuery, problems } from '../../../http/schemas.ts';
import type { Jobs } from '../../../jobs/queue.ts';
import type { CreateBudget } from '../../../security/attempt-budget.ts';
import type { Vault } from '../../../security/vault.ts';
import { changeEndpoint, deleteEndpoint } from './change-endpoint.ts';
import { createEndpoint, type NewEndpoint } from './create-endpoint.ts';
import { readDeliveries, readDelivery, readEndpointAs, readEndpoints } from './read-webhooks.ts';
import { redeliver, testEndpoint } from './redeliver.ts';
import { databaseScopeOf } from './queries.ts';
import { addRedeliveryRoutes } from './redelivery-routes.ts';
import { rotateSecret } from './rotate-secret.ts';
import { pathsOf, refOf, routeGroups, scopeOf, type RouteGroup } from './group-routes.ts';
import {
  Delivery,
  DeliveryDetail,
  DeliveryPage,
  DeliveryQuery,
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

/** Limits tests and redeliveries, because each sends a request to a server that the workspace chooses. */
const SEND_BUDGET = {
  name: 'webhook-sends',
  attempts: 120,
  seconds: 60,
  refusal:
    'At most 120 webhook tests and redeliveries per minute are allowed per workspace. Wait, then try again.',
};

/** The webhooks of a workspace and of its tenants. Authenticated by a dashboard account. */
export function webhookRoutes(services: WebhookServices): FastifyPluginAsyncTypebox {
  return createRoutes(routeGroups.workspace, services);
}

/** The webhooks of the deployment, which receive the events of all workspaces. Authenticated by a platform administrator. */
export function platformWebhookRoutes(services: WebhookServices): FastifyPluginAsyncTypebox {
  return createRoutes(routeGroups.platform, services);
}

function createRoutes(
  group: RouteGroup,
  { database, vault, jobs, config, createBudget }: WebhookServices,
): FastifyPluginAsyncTypebox {
  const sendBudget = createBudget(SEND_BUDGET);
  /** The webhooks of the deployment have no budget. */
  const spend = async ({ workspaceId }: { workspaceId: string | null }) => {
    if (workspaceId !== null) await sendBudget.spend(workspaceId);
  };
  const { path, readConfig, writeConfig, tags, CreateBody, operationIds } = group;
  const { ListPath, WebhookPath, DeliveryPath } = pathsOf(group);

  return async (app) => {
    addRedeliveryRoutes(app, group, { database, jobs, createBudget });

    app.get(
      path,
      {
        config: readConfig,
        schema: {
          operationId: operationIds.list,
          tags,
          summary: 'List webhooks',
          description:
            'Returns the webhooks of the workspace or of the deployment in pages, oldest first. Viewers see only the origin of each URL.',
          params: ListPath,
          querystring: PageQuery,
          response: { 200: WebhookPage },
        },
      },
      async (request) => {
        const scope = scopeOf(request.params);
        return readEndpoints(databaseScopeOf(database, scope), scope, request.query, request.accountRole);
      },
    );

    app.post(
      path,
      {
        config: writeConfig,
        schema: {
          operationId: operationIds.create,
          tags,
          summary: 'Create a webhook',
          description:
            'Creates an enabled webhook. The response contains the secret that signs deliveries. Save it. It is not shown again. ' +
            'Returns 409 if 50 webhooks exist.',
          params: ListPath,
          body: Type.Unsafe<NewEndpoint>(CreateBody),
          response: { 201: WebhookWithSecret, ...problems(409) },
        },
      },
      async (request, reply) => {
        const scope = scopeOf(request.params);
        const created = await createEndpoint(
          { database, vault },
          config,
          authorOf(request),
          scope,
          request.body,
        );
        return reply.code(201).send(created);
      },
    );

    app.get(
      `${path}/:webhookId`,
      {
        config: readConfig,
        schema: {
          operationId: operationIds.get,
          tags,
          summary: 'Get a webhook',
          description:
            'Returns the settings and the state of a webhook, without its secret. Viewers see only the origin of the URL.',
          params: WebhookPath,
          response: { 200: Webhook },
        },
      },
      async (request) => {
        const ref = refOf(request.params);
        return readEndpointAs(databaseScopeOf(database, ref), ref, request.accountRole);
      },
    );

    app.patch(
      `${path}/:webhookId`,
      {
        config: writeConfig,
        schema: {
          operationId: operationIds.update,
          tags,
          summary: 'Change a webhook',
          description:
            'Changes the given fields. A webhook that is enabled again receives its waiting deliveries. A new URL also applies ' +
            'to waiting deliveries.',
          params: WebhookPath,
          body: WebhookChange,
          response: { 200: Webhook },
        },
      },
      async (request) =>
        changeEndpoint({ database, jobs }, config, authorOf(request), refOf(request.params), request.body),
    );

    app.delete(
      `${path}/:webhookId`,
      {
        config: writeConfig,
        schema: {
          operationId: operationIds.delete,
          tags,
          summary: 'Delete a webhook',
          description: 'Deletes the webhook with all its deliveries.',
          params: WebhookPath,
          response: { 204: Type.Null({ description: 'The webhook is deleted.' }) },
        },
      },
      async (request, reply) => {
        await deleteEndpoint(database, authorOf(request), refOf(request.params));
        return reply.code(204).send(null);
      },
    );

    app.post(
      `${path}/:webhookId/test`,
      {
        config: writeConfig,
        schema: {
          operationId: operationIds.test,
          tags,
          summary: 'Send a test event',
          description:
            'Creates a `webhook.test` delivery. Read the delivery to see its outcome. Returns 409 if the webhook is disabled, ' +
            'and 429 after 120 tests and redeliveries per minute and workspace.',
          params: WebhookPath,
          response: { 202: Delivery, ...problems(409, 429) },
        },
      },
      async (request, reply) => {
        const ref = refOf(request.params);
        await spend(ref);
        return reply.code(202).send(await testEndpoint({ database, jobs }, authorOf(request), ref));
      },
    );

    app.post(
      `${path}/:webhookId/rotate-secret`,
      {
        config: writeConfig,
        schema: {
          operationId: operationIds.rotateSecret,
          tags,
          summary: 'Rotate the secret of a webhook',
          description:
            'Creates a new secret and returns it. Save it. It is not shown again. Deliveries have signatures by the old and the ' +
            'new secret until the overlap ends. A second rotation during the overlap drops the oldest secret.',
          params: WebhookPath,
          body: RotateBody,
          response: { 200: WebhookWithSecret },
        },
      },
      async (request) => {
        const ref = refOf(request.params);
        return rotateSecret({ database, vault }, authorOf(request), ref, request.body?.overlapSeconds);
      },
    );

    app.get(
      `${path}/:webhookId/deliveries`,
      {
        config: readConfig,
        schema: {
          operationId: operationIds.listDeliveries,
          tags,
          summary: 'List deliveries of a webhook',
          description:
            'Returns the deliveries of the last 30 days in pages, newest first, at most the last 10,000 of the time range. `status` and ' +
            '`eventType` select from these. For older ones, send an earlier `to`.',
          params: WebhookPath,
          querystring: DeliveryQuery,
          response: { 200: DeliveryPage },
        },
      },
      async (request) => {
        const { limit, offset, ...filter } = request.query;
        const ref = refOf(request.params);
        return readDeliveries(databaseScopeOf(database, ref), ref, filter, { limit, offset });
      },
    );

    app.get(
      `${path}/:webhookId/deliveries/:deliveryId`,
      {
        config: readConfig,
        schema: {
          operationId: operationIds.getDelivery,
          tags,
          summary: 'Get a delivery',
          description: 'Returns a delivery with its request body and its last 100 attempts.',
          params: DeliveryPath,
          response: { 200: DeliveryDetail },
        },
      },
      async (request) => {
        const { deliveryId, ...params } = request.params;
        const ref = refOf(params);
        return readDelivery(databaseScopeOf(database, ref), ref, deliveryId);
      },
    );

    app.post(
      `${path}/:webhookId/deliveries/:deliveryId/redeliver`,
      {
        config: writeConfig,
        schema: {
          operationId: operationIds.redeliver,
          tags,
          summary: 'Redeliver an event',
          description:
            'Sends a delivery in any state again, with the same `webhook-id` and all retries. Returns 409 while an attempt is ' +
            'running or if the webhook is disabled, and 429 after 120 tests and redeliveries per minute and workspace.',
          params: DeliveryPath,
          response: { 202: Delivery, ...problems(409, 429) },
        },
      },
      async (request, reply) => {
        const { deliveryId, ...params } = request.params;
        const ref = refOf(params);
        await spend(ref);
        const restarted = await redeliver({ database, jobs }, authorOf(request), ref, deliveryId);
        return reply.code(202).send(restarted);
      },
    );
  };
}
