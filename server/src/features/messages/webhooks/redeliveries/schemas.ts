import { Type } from 'typebox';
import { Guid, Nullable, OneOf, Page, Timestamp } from '../../../../http/schemas.ts';
import { MAX_LISTED_DELIVERIES } from '../deliveries/queries.ts';
import { deliveryFilter } from '../deliveries/schemas.ts';
import { redeliveryStatuses } from './queries.ts';

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
    ...deliveryFilter,
  },
  {
    title: 'StartWebhookRedeliveryRequest',
    additionalProperties: false,
    minProperties: 1,
    description: 'Selects the deliveries that match all members. At least one member is required.',
  },
);

export const WebhookRedelivery = Type.Object(
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
export const WebhookRedeliveryPage = Page(WebhookRedelivery);
