import type { FastifyRequest } from 'fastify';
import { Type, type TProperties } from 'typebox';
import { accountOf } from '../../../http/request-context.ts';
import { Guid } from '../../../http/schemas.ts';
import {
  attemptOf,
  spendAll,
  type BudgetOptions,
  type CreateBudget,
} from '../../../security/attempt-budget.ts';
import type { WebhookOwner, WebhookRef } from './queries.ts';
import { CreatePlatformWebhookRequest, CreateWebhookRequest } from './settings/schemas.ts';

/** The differences between both groups of routes. The handlers and the other schemas are the same. */
export const webhookGroups = {
  workspace: {
    path: '/api/workspaces/:workspaceId/webhooks',
    pathParameters: { workspaceId: Guid } as TProperties,
    readConfig: { role: 'viewer' },
    writeConfig: { role: 'admin' },
    tags: ['Webhooks'],
    CreateBody: CreateWebhookRequest,
    operationIds: {
      list: 'listWebhooks',
      create: 'createWebhook',
      get: 'getWebhook',
      update: 'updateWebhook',
      delete: 'deleteWebhook',
      test: 'testWebhook',
      rotateSecret: 'rotateWebhookSecret',
      listDeliveries: 'listWebhookDeliveries',
      getDelivery: 'getWebhookDelivery',
      redeliver: 'redeliverWebhook',
      startRedelivery: 'startWebhookRedelivery',
      listRedeliveries: 'listWebhookRedeliveries',
      getRedelivery: 'getWebhookRedelivery',
      cancelRedelivery: 'cancelWebhookRedelivery',
    },
  },
  platform: {
    path: '/api/admin/webhooks',
    pathParameters: {},
    readConfig: {},
    writeConfig: {},
    tags: ['Administration'],
    CreateBody: CreatePlatformWebhookRequest,
    operationIds: {
      list: 'listPlatformWebhooks',
      create: 'createPlatformWebhook',
      get: 'getPlatformWebhook',
      update: 'updatePlatformWebhook',
      delete: 'deletePlatformWebhook',
      test: 'testPlatformWebhook',
      rotateSecret: 'rotatePlatformWebhookSecret',
      listDeliveries: 'listPlatformWebhookDeliveries',
      getDelivery: 'getPlatformWebhookDelivery',
      redeliver: 'redeliverPlatformWebhook',
      startRedelivery: 'startPlatformWebhookRedelivery',
      listRedeliveries: 'listPlatformWebhookRedeliveries',
      getRedelivery: 'getPlatformWebhookRedelivery',
      cancelRedelivery: 'cancelPlatformWebhookRedelivery',
    },
  },
} as const;

export type WebhookGroup = (typeof webhookGroups)[keyof typeof webhookGroups];

interface ListPath {
  workspaceId?: string;
}
type WebhookPath = ListPath & { webhookId: string };

/** The schemas of the path parameters of a group. */
export function pathsOf({ pathParameters }: WebhookGroup) {
  const webhook = { ...pathParameters, webhookId: Guid };
  return {
    ListPath: Type.Unsafe<ListPath>(Type.Object(pathParameters)),
    WebhookPath: Type.Unsafe<WebhookPath>(Type.Object(webhook)),
    DeliveryPath: Type.Unsafe<WebhookPath & { deliveryId: string }>(
      Type.Object({ ...webhook, deliveryId: Guid }),
    ),
    RedeliveryPath: Type.Unsafe<WebhookPath & { redeliveryId: string }>(
      Type.Object({ ...webhook, redeliveryId: Guid }),
    ),
  };
}

export const ownerOf = ({ workspaceId }: ListPath): WebhookOwner => ({ workspaceId: workspaceId ?? null });

export const refOf = (path: WebhookPath): WebhookRef => ({ ...ownerOf(path), webhookId: path.webhookId });

/**
 * Creates a function that spends from the budgets of a workspace and of the account, which may own many workspaces. The deployment has no
 * budget.
 */
export function createSendBudget(
  createBudget: CreateBudget,
  options: BudgetOptions,
): (request: FastifyRequest, owner: WebhookOwner) => Promise<void> {
  const budget = createBudget(options);
  return async (request, { workspaceId }) => {
    if (workspaceId === null) return;
    // Both or none: sends that a workspace is refused must not use up those of the account in its other workspaces.
    await spendAll([attemptOf(budget, accountOf(request).accountId), attemptOf(budget, workspaceId)]);
  };
}
