import { Type } from 'typebox';
import { Guid, Nullable, OneOf, Page, PageQuery, TimeFilter, Timestamp } from '../../../../http/schemas.ts';
import { eventTypes } from '../event-types.ts';
import { MAX_LISTED_ATTEMPTS } from './attempt-queries.ts';
import { deliveryStatuses } from './queries.ts';

const delivery = {
  id: Type.String({ ...Guid, description: 'The `webhook-id` header of the delivery.' }),
  eventType: OneOf(eventTypes, { title: 'WebhookDeliveryType' }),
  status: OneOf(deliveryStatuses, {
    title: 'WebhookDeliveryStatus',
    description: '`pending`: an attempt is running or scheduled. `failed`: all attempts failed.',
  }),
  attempts: Type.Integer({ description: 'The number of started attempts.' }),
  lastStatusCode: Nullable(
    Type.Integer({ description: 'The status of the last response. Null if there was none.' }),
  ),
  lastError: Nullable(
    Type.String({ description: 'Why the last attempt failed, in words. Null after a success.' }),
  ),
  createdAt: Timestamp,
  lastAttemptAt: Nullable(Timestamp),
  nextAttemptAt: Nullable(
    Type.String({
      ...Timestamp,
      description: 'The delivery waits longer while the webhook is disabled.',
    }),
  ),
};

export const WebhookDelivery = Type.Object(delivery, { title: 'WebhookDelivery' });
export const WebhookDeliveryPage = Page(WebhookDelivery);

/** Selects deliveries, in a list and in a redelivery. */
export const deliveryFilter = {
  status: Type.Optional(
    OneOf(deliveryStatuses, {
      title: 'WebhookDeliveryStatus',
      description: 'Only deliveries with this status.',
    }),
  ),
  eventType: Type.Optional(
    OneOf(eventTypes, { title: 'WebhookDeliveryType', description: 'Only deliveries of this type.' }),
  ),
  ...TimeFilter('deliveries created'),
};

export const DeliveryQuery = Type.Object({ ...PageQuery.properties, ...deliveryFilter });

export const WebhookDeliveryDetail = Type.Object(
  {
    ...delivery,
    body: Type.String({ description: 'The exact request body of each attempt.' }),
    history: Type.Array(
      Type.Object(
        {
          number: Type.Integer(),
          startedAt: Timestamp,
          durationMs: Nullable(
            Type.Integer({ description: 'Null if the attempt is running or its worker crashed.' }),
          ),
          statusCode: Nullable(Type.Integer({ description: 'Null if there was no complete response.' })),
          error: Nullable(Type.String({ description: 'Null if the attempt succeeded.' })),
          answer: Nullable(
            Type.String({
              description:
                'The first 1,024 bytes of the response body. Null for viewers, because it may repeat the path of the URL.',
            }),
          ),
        },
        { title: 'WebhookAttempt' },
      ),
      { maxItems: MAX_LISTED_ATTEMPTS, description: 'The last 100 attempts, oldest first.' },
    ),
  },
  { title: 'WebhookDeliveryDetail' },
);
