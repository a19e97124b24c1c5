import { Type, type Static, type TSchema } from 'typebox';
import { Guid, LargeInteger, OneOf, Timestamp } from '../../../http/schemas.ts';

const KeyAlert = Type.Object(
  {
    workspaceId: Guid,
    tenantId: Guid,
    id: Type.String({ ...Guid, description: 'The id of the alert.' }),
    keyId: Guid,
    keyKind: OneOf(['game', 'api'], { title: 'KeyKind' }),
    threshold: LargeInteger('The requests or bytes that a key may send in a minute.'),
    observed: LargeInteger('The requests or bytes that the key sent in the minute.'),
    windowStart: Type.String({ ...Timestamp, description: 'The start of the minute.' }),
    createdAt: Timestamp,
  },
  { title: 'KeyAlert' },
);

const UsageWarning = Type.Object(
  {
    workspaceId: Guid,
    percent: Type.Integer({ description: 'The used share of the limit: 75, 90 or 100 %.' }),
    used: LargeInteger('The units that the workspace has used.'),
    limit: LargeInteger('The units of the plan in a month.'),
    periodStart: Timestamp,
    periodEnd: Type.String({ ...Timestamp, description: 'The start of the next month.' }),
  },
  { title: 'UsageWarning' },
);

const PlayerDeletion = Type.Object(
  { workspaceId: Guid, tenantId: Guid, playerId: Guid, deletedAt: Timestamp },
  { title: 'PlayerDeletion' },
);

const PlayerMerge = Type.Object(
  {
    workspaceId: Guid,
    tenantId: Guid,
    playerId: Type.String({ ...Guid, description: 'The profile that remains.' }),
    mergedPlayerId: Type.String({ ...Guid, description: 'The profile that the tenant knew before.' }),
    mergedAt: Timestamp,
  },
  { title: 'PlayerMerge' },
);

const WebhookTest = Type.Object(
  {
    workspaceId: Type.Optional(
      Type.String({ ...Guid, description: 'Absent in a test of a webhook of the deployment.' }),
    ),
    tenantId: Type.Optional(Type.String({ ...Guid, description: 'Absent if the webhook has no tenant.' })),
  },
  { title: 'WebhookTest' },
);

/** The body of the deliveries of one event type. */
function bodyOf<const Name extends string, Data extends TSchema>(type: Name, title: string, data: Data) {
  const timestamp = Type.String({ ...Timestamp, description: 'When the event happened.' });
  return Type.Object({ type: OneOf([type]), timestamp, data }, { title });
}

/** Every event type, with its texts and its body in the OpenAPI document. docs/webhooks.md documents the types for receivers. */
export const eventCatalogue = {
  'alert.rate_spike': {
    operationId: 'receiveRateSpikeAlert',
    summary: 'Receive a rate spike alert',
    description: 'A key sent more requests in a minute than its alert threshold.',
    body: bodyOf('alert.rate_spike', 'RateSpikeEvent', KeyAlert),
  },
  'alert.payload_spike': {
    operationId: 'receivePayloadSpikeAlert',
    summary: 'Receive a payload spike alert',
    description: 'A key sent more bytes in a minute than its alert threshold.',
    body: bodyOf('alert.payload_spike', 'PayloadSpikeEvent', KeyAlert),
  },
  'usage.warning': {
    operationId: 'receiveUsageWarning',
    summary: 'Receive a usage warning',
    description: 'A workspace used 75, 90 or 100 % of the units of its month.',
    body: bodyOf('usage.warning', 'UsageWarningEvent', UsageWarning),
  },
  'player.deleted': {
    operationId: 'receivePlayerDeletion',
    summary: 'Receive a player deletion',
    description:
      'A player deleted the profile, or a platform administrator did. Each tenant that knew the player has its own event.',
    body: bodyOf('player.deleted', 'PlayerDeletedEvent', PlayerDeletion),
  },
  'player.merged': {
    operationId: 'receivePlayerMerge',
    summary: 'Receive a player merge',
    description: 'A player merged two profiles. Each tenant that knew the merged profile has its own event.',
    body: bodyOf('player.merged', 'PlayerMergedEvent', PlayerMerge),
  },
  'webhook.test': {
    operationId: 'receiveWebhookTest',
    summary: 'Receive a test',
    description: 'A user requested a test. It goes to one webhook only, with any `eventTypes`.',
    body: bodyOf('webhook.test', 'WebhookTestEvent', WebhookTest),
  },
};

export type EventType = keyof typeof eventCatalogue;

/** The types that a webhook can subscribe to. */
export type PublishedEventType = Exclude<EventType, 'webhook.test'>;

/** An event of one of the types, without its time. */
export type WebhookEvent<Types extends EventType = EventType> = {
  [Name in Types]: Omit<Static<(typeof eventCatalogue)[Name]['body']>, 'timestamp'>;
}[Types];

/** An event that several tenants get, without their ids. */
export type TenantEvent =
  WebhookEvent<'player.deleted' | 'player.merged'> extends infer Event
    ? Event extends { type: infer Name; data: infer Data }
      ? { type: Name; data: Omit<Data, 'workspaceId' | 'tenantId'> }
      : never
    : never;

export const eventTypes = Object.keys(eventCatalogue) as EventType[];
export const publishedEventTypes = eventTypes.filter(
  (type): type is PublishedEventType => type !== 'webhook.test',
);
