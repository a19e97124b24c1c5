import { Type } from 'typebox';
import { Guid, Nullable, OneOf, Page, Timestamp } from '../../../../http/schemas.ts';
import { publishedEventTypes } from '../event-types.ts';
import { disabledReasons } from '../queries.ts';

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
export const RotateWebhookSecretResult = Type.Object(
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
export const RotateWebhookSecretRequest = Nullable(
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
