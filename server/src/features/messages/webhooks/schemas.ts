import { Type } from 'typebox';
import { Guid, Nullable, OneOf, Page, PageQuery, TimeFilter, Timestamp } from '../../../http/schemas.ts';
import { MAX_LISTED_ATTEMPTS } from './attempt-queries.ts';
import { deliveryStatuses, MAX_LISTED_DELIVERIES } from './delivery-queries.ts';
import { eventTypes, publishedEventTypes } from './event-types.ts';
import { disabledReasons } from './queries.ts';
import { redeliveryStatuses } from './redelivery-queries.ts';

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'The URL that receives events: http or https, a public address, without credentials.',
});
const Description = Nullable(Type.String({ transform: ['trim'], maxLength: 256 }));
const EventTypes = Nullable(
  Type.Array(OneOf(publishedEventTypes, { title: 'WebhookEventType' }), {
    minItems: 1,
    maxItems: publishedEventTypes.length,
    uniqueItems: true,
    description: 'The event types to send. Null: all types, including types of later versions.',
  }),
);

export const Webhook = Type.Object(
  {
    id: Guid,
    workspaceId: Nullable(Type.String({ ...Guid, description: 'Null for a webhook of the deployment.' })),
    tenantId: Nullable(
      Type.String({ ...Guid, description: 'Only events of this tenant. Null: all tenants.' }),
    ),
    url: Type.String({
      description:
        'The URL that receives events. A viewer gets only its origin, because path and query may contain a token.',
    }),
    description: Description,
    eventTypes: EventTypes,
    enabled: Type.Boolean({ description: 'Whether the webhook receives deliveries.' }),
    disabledAt: Nullable(Timestamp),
    disabledReason: Nullable(
      OneOf(disabledReasons, {
        title: 'WebhookDisabledReason',
        description:
          '`by_hand`: a user disabled it. `gone`: the endpoint returned 410. `failing`: all deliveries failed for five days.',
      }),
    ),
    failingSince: Nullable(
      Type.String({
        ...Timestamp,
        description: 'The first failure after the last success, or after two days without a failure.',
      }),
    ),
    previousSecretUntil: Nullable(
      Type.String({
        ...Timestamp,
        description:
          'When the last earlier secret stops signing. Until then, deliveries have several signatures.',
      }),
    ),
    createdAt: Timestamp,
  },
  { title: 'Webhook' },
);

export const WebhookPage = Page(Webhook);

const secret = {
  secret: Type.String({ description: 'The secret that signs deliveries. It is not shown again.' }),
};
export const WebhookWithSecret = Type.Object(
  { ...Webhook.properties, ...secret },
  { title: 'WebhookWithSecret' },
);
/** A repeated request does not get the secret. */
export const RotatedWebhook = Type.Object(
  { ...Webhook.properties, ...Type.Partial(Type.Object(secret)).properties },
  { title: 'RotateWebhookSecretResult' },
);

export const CreatePlatformWebhookRequest = Type.Object(
  {
    url: Url,
    eventTypes: Type.Optional(EventTypes),
    description: Type.Optional(Description),
  },
  { title: 'CreatePlatformWebhookRequest' },
);

export const CreateWebhookRequest = Type.Object(
  {
    ...CreatePlatformWebhookRequest.properties,
    tenantId: Type.Optional(
      Nullable(
        Type.String({
          ...Guid,
          description: 'A tenant of the workspace. The webhook then receives only the events of this tenant.',
        }),
      ),
    ),
  },
  { title: 'CreateWebhookRequest' },
);

export const UpdateWebhookRequest = Type.Object(
  {
    url: Type.Optional(Url),
    eventTypes: Type.Optional(EventTypes),
    description: Type.Optional(Description),
    enabled: Type.Optional(Type.Boolean()),
  },
  { title: 'UpdateWebhookRequest' },
);

/** The request may have no body. */
export const RotateBody = Nullable(
  Type.Object(
    {
      overlapSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 7 * 24 * 60 * 60,
          description:
            'How long deliveries also have a signature by the old secret: at most 7 days, by default 1 day. Use 0 if the old ' +
            'secret leaked: it ends all earlier secrets.',
        }),
      ),
    },
    { title: 'RotateWebhookSecretRequest' },
  ),
);

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

export const Delivery = Type.Object(delivery, { title: 'WebhookDelivery' });
export const DeliveryPage = Page(Delivery);

const filter = {
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

export const DeliveryQuery = Type.Object({ ...PageQuery.properties, ...filter });

/** A misspelled filter would select too much, so unknown members are refused, and an empty object is too. */
export const StartWebhookRedeliveryRequest = Type.Object(
  {
    deliveryIds: Type.Optional(
      Type.Array(Guid, {
        minItems: 1,
        maxItems: MAX_LISTED_DELIVERIES,
        description: 'Only these deliveries.',
      }),
    ),
    ...filter,
  },
  {
    title: 'StartWebhookRedeliveryRequest',
    additionalProperties: false,
    minProperties: 1,
    description: 'Selects the deliveries that match all members. At least one member is required.',
  },
);

export const Redelivery = Type.Object(
  {
    id: Guid,
    status: OneOf(redeliveryStatuses, {
      title: 'WebhookRedeliveryStatus',
      description:
        '`completed`: each delivery was attempted. `cancelled`: a user cancelled it. `stopped`: the webhook was disabled.',
    }),
    total: Type.Integer({ description: 'The number of deliveries that matched at the start.' }),
    delivered: Type.Integer({ description: 'The number of deliveries that succeeded.' }),
    failed: Type.Integer({
      description:
        'The number of deliveries whose first attempt failed. They are retried on the usual schedule.',
    }),
    skipped: Type.Integer({
      description:
        'The number of deliveries that were deleted before their attempt, because they were 30 days old.',
    }),
    createdAt: Timestamp,
    endedAt: Nullable(Timestamp),
  },
  { title: 'WebhookRedelivery' },
);
export const RedeliveryPage = Page(Redelivery);

export const DeliveryDetail = Type.Object(
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
