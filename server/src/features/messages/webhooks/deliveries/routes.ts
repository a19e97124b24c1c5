import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../../database/database.ts';
import { authorOf } from '../../../../http/request-context.ts';
import { problems } from '../../../../http/schemas.ts';
import type { Jobs } from '../../../../jobs/queue.ts';
import type { CreateBudget } from '../../../../security/attempt-budget.ts';
import { createSendBudget, pathsOf, refOf, type WebhookGroup } from '../group-routes.ts';
import { readDeliveries, readDelivery } from './read-deliveries.ts';
import { redeliver } from './redeliver.ts';
import { WebhookDelivery, WebhookDeliveryDetail, WebhookDeliveryPage, DeliveryQuery } from './schemas.ts';
import { testWebhook } from './test-webhook.ts';

export interface DeliveryServices {
  database: Database;
  jobs: Jobs;
  createBudget: CreateBudget;
}

/** Limits tests and redeliveries, because each sends a request to a server that the workspace chooses. */
const SEND_BUDGET = {
  name: 'webhook-sends',
  attempts: 120,
  seconds: 60,
  refusal:
    'At most 120 webhook tests and redeliveries per minute are allowed for a workspace and for an account. Wait, then try again.',
};

/** The routes that send deliveries of a webhook and read them. */
export function deliveryRoutes(
  group: WebhookGroup,
  { database, jobs, createBudget }: DeliveryServices,
): FastifyPluginAsyncTypebox {
  const spend = createSendBudget(createBudget, SEND_BUDGET);
  const { readConfig, writeConfig, tags, operationIds } = group;
  const { WebhookPath, DeliveryPath } = pathsOf(group);
  const path = `${group.path}/:webhookId`;

  return async (app) => {
    app.post(
      `${path}/test`,
      {
        config: writeConfig,
        schema: {
          operationId: operationIds.test,
          tags,
          summary: 'Send a test event',
          description:
            'Creates a `webhook.test` delivery. Read the delivery to see its outcome. Returns 409 if the webhook is disabled, ' +
            'and 429 after 120 tests and redeliveries per minute, for the workspace or the account.',
          params: WebhookPath,
          response: { 202: WebhookDelivery, ...problems(409) },
        },
      },
      async (request, reply) => {
        const ref = refOf(request.params);
        await spend(request, ref);
        return reply.code(202).send(await testWebhook({ database, jobs }, authorOf(request), ref));
      },
    );

    app.get(
      `${path}/deliveries`,
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
          response: { 200: WebhookDeliveryPage },
        },
      },
      async (request) => {
        const { limit, offset, ...filter } = request.query;
        return readDeliveries(database, refOf(request.params), filter, { limit, offset });
      },
    );

    app.get(
      `${path}/deliveries/:deliveryId`,
      {
        config: readConfig,
        schema: {
          operationId: operationIds.getDelivery,
          tags,
          summary: 'Get a delivery',
          description:
            'Returns a delivery with its request body and its last 100 attempts. Viewers do not get the answers.',
          params: DeliveryPath,
          response: { 200: WebhookDeliveryDetail },
        },
      },
      async (request) => {
        const { deliveryId } = request.params;
        return readDelivery(database, refOf(request.params), deliveryId, request.accountRole);
      },
    );

    app.post(
      `${path}/deliveries/:deliveryId/redeliver`,
      {
        config: writeConfig,
        schema: {
          operationId: operationIds.redeliver,
          tags,
          summary: 'Redeliver an event',
          description:
            'Sends a delivery in any state again, with the same `webhook-id` and all retries. Returns 409 while an attempt is ' +
            'running or if the webhook is disabled, and 429 after 120 tests and redeliveries per minute, for the workspace or the account.',
          params: DeliveryPath,
          response: { 202: WebhookDelivery, ...problems(409) },
        },
      },
      async (request, reply) => {
        const ref = refOf(request.params);
        await spend(request, ref);
        reply.code(202);
        return redeliver({ database, jobs }, authorOf(request), ref, request.params.deliveryId);
      },
    );
  };
}
