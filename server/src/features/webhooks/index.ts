export { deliveryQueue } from './delivery-queue.ts';
export { publish, type PublishedEvent } from './publish.ts';
