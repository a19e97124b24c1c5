import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Database } from '../../../../database/database.ts';
import { idempotencyOf } from '../../../../http/idempotency-key.ts';
import { authorOf } from '../../../../http/request-context.ts';
import { PageQuery, problems } from '../../../../http/schemas.ts';
import type { Jobs } from '../../../../jobs/queue.ts';
import type { Vault } from '../../../../security/vault.ts';
import { ownerOf, pathsOf, refOf, type WebhookGroup } from '../group-routes.ts';
import { changeWebhook, deleteWebhook } from './change-webhook.ts';
import { createWebhook, type NewWebhook } from './create-webhook.ts';
import { readWebhookAs, readWebhooks } from './read-webhooks.ts';
import { rotateSecret } from './rotate-secret.ts';
import {
  RotateWebhookSecretRequest,
  RotateWebhookSecretResult,
  Webhook,
  UpdateWebhookRequest,
  WebhookPage,
  WebhookWithSecret,
} from './schemas.ts';
import type { UrlRules } from './webhook-settings.ts';

export interface WebhookServices {
  database: Database;
  vault: Vault;
  jobs: Jobs;
  config: UrlRules;
}

/** The routes that create, change and delete webhooks. */
export function webhookRoutes(
  group: WebhookGroup,
  { database, vault, jobs, config }: WebhookServices,
): FastifyPluginAsyncTypebox {
  const { path, readConfig, writeConfig, tags, CreateBody, operationIds } = group;
  const { ListPath, WebhookPath } = pathsOf(group);

  return async (app) => {
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
      async (request) => readWebhooks(database, ownerOf(request.params), request.query, request.accountRole),
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
          body: Type.Unsafe<NewWebhook>(CreateBody),
          response: { 201: WebhookWithSecret, ...problems(409) },
        },
      },
      async (request, reply) => {
        const owner = ownerOf(request.params);
        reply.code(201);
        return createWebhook({ database, vault, config }, authorOf(request), owner, request.body);
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
      async (request) => readWebhookAs(database, refOf(request.params), request.accountRole),
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
          body: UpdateWebhookRequest,
          response: { 200: Webhook },
        },
      },
      async (request) =>
        changeWebhook({ database, jobs, config }, authorOf(request), refOf(request.params), request.body),
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
        await deleteWebhook(database, authorOf(request), refOf(request.params));
        return reply.code(204).send(null);
      },
    );

    app.post(
      `${path}/:webhookId/rotate-secret`,
      {
        config: { ...writeConfig, idempotent: true },
        schema: {
          operationId: operationIds.rotateSecret,
          tags,
          summary: 'Rotate the secret of a webhook',
          description:
            'Creates a new secret and returns it. Save it. It is not shown again. Deliveries have signatures by the new secret, and ' +
            'by each earlier secret until its overlap ends. If you repeat the request with the same `Idempotency-Key` within 24 ' +
            'hours, you receive the first response without the secret. If 5 earlier secrets still sign, the response is 409. An ' +
            'overlap of 0 ends all of them.',
          params: WebhookPath,
          body: RotateWebhookSecretRequest,
          response: { 200: RotateWebhookSecretResult, ...problems(409) },
        },
      },
      async (request) => {
        const ref = refOf(request.params);
        const repeatable = idempotencyOf(request);
        return rotateSecret(
          { database, vault },
          authorOf(request),
          ref,
          request.body?.overlapSeconds,
          repeatable,
        );
      },
    );
  };
}
