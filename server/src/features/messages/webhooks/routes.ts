import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { deliveryRoutes, type DeliveryServices } from './deliveries/routes.ts';
import { webhookGroups, type WebhookGroup } from './group-routes.ts';
import { redeliveryRoutes } from './redeliveries/routes.ts';
import { webhookRoutes, type WebhookServices } from './settings/routes.ts';

type Services = WebhookServices & DeliveryServices;

/** The webhooks of a workspace and of its tenants. Authenticated by a console account. */
export function workspaceWebhookRoutes(services: Services): FastifyPluginAsyncTypebox {
  return routesOf(webhookGroups.workspace, services);
}

/** The webhooks of the deployment, which receive the events of all workspaces. Authenticated by a platform administrator. */
export function platformWebhookRoutes(services: Services): FastifyPluginAsyncTypebox {
  return routesOf(webhookGroups.platform, services);
}

function routesOf(group: WebhookGroup, services: Services): FastifyPluginAsyncTypebox {
  return async (app) => {
    await app.register(webhookRoutes(group, services));
    await app.register(deliveryRoutes(group, services));
    await app.register(redeliveryRoutes(group, services));
  };
}
