import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ID_LIST_BODY_LIMIT } from '../../../../http/bodies/body-limits.ts';
import { authorOf } from '../../../../http/request-context.ts';
import { PageQuery, problems } from '../../../../http/schemas.ts';
import type { DeliveryServices } from '../deliveries/routes.ts';
import { createSendBudget, pathsOf, refOf, type WebhookGroup } from '../group-routes.ts';
import { readRedeliveries, readRedelivery } from './read-redeliveries.ts';
import { StartWebhookRedeliveryRequest, WebhookRedelivery, WebhookRedeliveryPage } from './schemas.ts';
import { cancelRedelivery, startRedelivery } from './start-redelivery.ts';

/** Limits the requests, because each stores up to 10,000 ids. */
const REDELIVERY_BUDGET = {
  name: 'webhook-redeliveries',
  attempts: 10,
  seconds: 60,
  refusal:
    'At most 10 redeliveries per minute are allowed for a workspace and for an account. Wait, then try again.',
};

/** The routes that send many deliveries of a webhook again. */
export function redeliveryRoutes(
  group: WebhookGroup,
  { database, jobs, createBudget }: DeliveryServices,
): FastifyPluginAsyncTypebox {
  const spend = createSendBudget(createBudget, REDELIVERY_BUDGET);
  const { readConfig, writeConfig, tags, operationIds } = group;
  const { WebhookPath, RedeliveryPath } = pathsOf(group);
  const path = `${group.path}/:webhookId/redeliveries`;

  return async (app) => {
    app.post(
      path,
      {
        bodyLimit: ID_LIST_BODY_LIMIT,
        config: writeConfig,
        schema: {
          operationId: operationIds.startRedelivery,
          tags,
          summary: 'Redeliver many events',
          description:
            'Sends the deliveries that match again, oldest first, in any state, with the same `webhook-id` and all retries. ' +
            'The filters select from the last 10,000 deliveries of the time range, like the list of deliveries. The server ' +
            'works on it in the background, with at most 100 deliveries at a time. Read the redelivery to see its progress. ' +
            'Returns 409 if the webhook has a running redelivery or is disabled, and 429 after 10 redeliveries per minute, ' +
            'for the workspace or the account.',
          params: WebhookPath,
          body: StartWebhookRedeliveryRequest,
          response: { 202: WebhookRedelivery, ...problems(409) },
        },
      },
      async (request, reply) => {
        const ref = refOf(request.params);
        await spend(request, ref);
        reply.code(202);
        return startRedelivery({ database, jobs }, authorOf(request), ref, request.body);
      },
    );

    app.get(
      path,
      {
        config: readConfig,
        schema: {
          operationId: operationIds.listRedeliveries,
          tags,
          summary: 'List redeliveries of a webhook',
          description:
            'Returns the redeliveries of the last 30 days in pages, newest first. Only the first one may be running.',
          params: WebhookPath,
          querystring: PageQuery,
          response: { 200: WebhookRedeliveryPage },
        },
      },
      async (request) => readRedeliveries(database, refOf(request.params), request.query),
    );

    app.get(
      `${path}/:redeliveryId`,
      {
        config: readConfig,
        schema: {
          operationId: operationIds.getRedelivery,
          tags,
          summary: 'Get a redelivery',
          description: 'Returns the progress of a redelivery. It changes every second or less often.',
          params: RedeliveryPath,
          response: { 200: WebhookRedelivery },
        },
      },
      async (request) => readRedelivery(database, refOf(request.params), request.params.redeliveryId),
    );

    app.post(
      `${path}/:redeliveryId/cancel`,
      {
        config: writeConfig,
        schema: {
          operationId: operationIds.cancelRedelivery,
          tags,
          summary: 'Cancel a redelivery',
          description:
            'Starts no more deliveries. At most 100 that are in progress are still sent, and counted. Idempotent: a redelivery ' +
            'that has ended does not change.',
          params: RedeliveryPath,
          response: { 200: WebhookRedelivery },
        },
      },
      async (request) => {
        const { redeliveryId } = request.params;
        return cancelRedelivery(database, authorOf(request), refOf(request.params), redeliveryId);
      },
    );
  };
}
