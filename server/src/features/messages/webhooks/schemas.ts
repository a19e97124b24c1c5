import { Type } from 'typebox';
import { Guid, Nullable, OneOf, Page, PageQuery, Timestamp } from '../../../http/schemas.ts';
import { MOST_ATTEMPTS } from './delivery-queries.ts';
import { eventTypes, publishedEventTypes } from './event-types.ts';

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'Where events are sent: http or https, a public address, without credentials.',
});
const Description = Nullable(Type.String({ transform: ['trim'], maxLength: 256 }));
const EventTypes = Nullable(
  Type.Array(OneOf(publishedEventTypes), {
    minItems: 1,
    maxItems: publishedEventTypes.length,
    uniqueItems: true,
    description: 'The types of events that it wants; null: all, also those of later versions.',
  }),
);

export const Webhook = Type.Object({
  id: Guid,
  workspaceId: Nullable(Type.String({ format: 'uuid', description: 'Null: of the deployment.' })),
  tenantId: Nullable(Type.String({ format: 'uuid', description: 'Of this tenant alone.' })),
  url: Url,
  description: Description,
  eventTypes: EventTypes,
  enabled: Type.Boolean({ description: 'Whether it gets anything.' }),
  disabledAt: Nullable(Timestamp),
  disabledReason: Nullable(
    OneOf(['by_hand', 'gone', 'failing'], {
      description: '`gone`: it answered 410. `failing`: it did nothing but fail for five days.',
    }),
  ),
  failingSince: Nullable(
    Type.String({ format: 'date-time', description: 'The first failure after the last success.' }),
  ),
  previousSecretUntil: Nullable(
    Type.String({
      format: 'date-time',
      description: 'Until when the secret before the last rotation signs too.',
    }),
  ),
  createdAt: Timestamp,
});

export const WebhookPage = Page(Webhook);

export const WebhookWithSecret = Type.Object({
  ...Webhook.properties,
  secret: Type.String({ description: 'What deliveries are signed with: shown in this answer only.' }),
});

export const NewPlatformWebhook = Type.Object({
  url: Url,
  eventTypes: Type.Optional(EventTypes),
  description: Type.Optional(Description),
});

export const NewWebhook = Type.Object({
  ...NewPlatformWebhook.properties,
  tenantId: Type.Optional(
    Nullable(
      Type.Unsafe<string>({
        ...Guid,
        description: 'A tenant of the workspace: it gets what is about that one alone.',
      }),
    ),
  ),
});

export const WebhookChange = Type.Object({
  url: Type.Optional(Url),
  eventTypes: Type.Optional(EventTypes),
  description: Type.Optional(Description),
  enabled: Type.Optional(Type.Boolean()),
});

/** May be left out altogether. */
export const RotateBody = Nullable(
  Type.Object({
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7 * 24 * 60 * 60,
        description:
          'How long the old secret still signs beside the new one: up to 7 days, a day where it is left out, 0 for one that leaked.',
      }),
    ),
  }),
);

const delivery = {
  id: Type.String({ format: 'uuid', description: 'Its `webhook-id`.' }),
  eventType: OneOf(eventTypes),
  status: OneOf(['pending', 'delivered', 'failed'], {
    description: '`pending`: not yet, an attempt runs or follows. `failed`: every attempt failed.',
  }),
  attempts: Type.Integer({ description: 'How many were begun.' }),
  lastStatusCode: Nullable(Type.Integer({ description: 'Of the last answer; null where none came.' })),
  lastError: Nullable(Type.String()),
  createdAt: Timestamp,
  lastAttemptAt: Nullable(Timestamp),
  nextAttemptAt: Nullable(
    Type.String({ format: 'date-time', description: 'While the webhook is disabled it waits beyond that.' }),
  ),
};

export const Delivery = Type.Object(delivery);
export const DeliveryPage = Page(Delivery);

export const DeliveryQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(OneOf(['pending', 'delivered', 'failed'], { description: 'Of this status alone.' })),
  eventType: Type.Optional(OneOf(eventTypes, { description: 'Of this type alone.' })),
});

export const DeliveryDetail = Type.Object({
  ...delivery,
  body: Type.String({ description: 'What is sent, to the byte.' }),
  history: Type.Array(
    Type.Object({
      number: Type.Integer(),
      startedAt: Timestamp,
      durationMs: Nullable(Type.Integer({ description: 'Null: it runs, or its worker has died.' })),
      statusCode: Nullable(Type.Integer({ description: 'Null where no whole answer came.' })),
      error: Nullable(Type.String({ description: 'Null where it was delivered.' })),
      answer: Nullable(Type.String({ description: 'The first kilobyte of the answer’s body.' })),
    }),
    { maxItems: MOST_ATTEMPTS, description: 'The last 100 attempts, the first one first.' },
  ),
});
