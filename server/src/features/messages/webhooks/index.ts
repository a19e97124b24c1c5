export { attemptDelivery } from './attempt-delivery.ts';
export { continueRedelivery, redeliveryQueue } from './continue-redelivery.ts';
export { deleteOldDeliveries } from './delivery-queries.ts';
export { deliveryQueue } from './delivery-queue.ts';
export { eventOperations } from './event-operations.ts';
export { measureWebhooks } from './measure-webhooks.ts';
export { publish } from './publish.ts';
export { platformWebhookRoutes, workspaceWebhookRoutes } from './routes.ts';
export { listOwners } from './queries.ts';
