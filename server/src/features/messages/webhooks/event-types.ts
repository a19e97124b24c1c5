/** An example of an event for receivers. */
interface EventExample {
  description: string;
  data: Record<string, unknown>;
}

const workspaceId = '019a8f3c-0000-7000-8000-000000000001';
const tenantId = '019a8f3c-0000-7000-8000-000000000002';
const keyId = '019a8f3c-0000-7000-8000-000000000003';

/**
 * Every event type with example data. The data always contains the workspace, and the tenant if the event concerns one.
 * docs/webhooks.md documents the types for receivers.
 */
export const eventCatalogue = {
  'alert.rate_spike': {
    description: 'A key sent more requests in a minute than its alert threshold.',
    data: {
      workspaceId,
      tenantId,
      id: '019a8f3c-0000-7000-8000-000000000004',
      keyId,
      keyKind: 'game',
      threshold: 60000,
      observed: 60001,
      windowStart: '2026-05-01T12:00:00Z',
      createdAt: '2026-05-01T12:00:42.123456Z',
    },
  },
  'alert.payload_spike': {
    description: 'A key sent more bytes in a minute than its alert threshold.',
    data: {
      workspaceId,
      tenantId,
      id: '019a8f3c-0000-7000-8000-000000000005',
      keyId,
      keyKind: 'game',
      threshold: 67108864,
      observed: 70000000,
      windowStart: '2026-05-01T12:00:00Z',
      createdAt: '2026-05-01T12:00:42.123456Z',
    },
  },
  'usage.warning': {
    description: 'A workspace used 75, 90 or 100 % of the units of its month.',
    data: {
      workspaceId,
      percent: 90,
      used: 900000,
      limit: 1000000,
      periodStart: '2026-05-01T00:00:00Z',
      periodEnd: '2026-06-01T00:00:00Z',
    },
  },
  'webhook.test': {
    description: 'A test that a user requested. It goes to one webhook only, with any `eventTypes`.',
    data: { workspaceId },
  },
} as const satisfies Record<string, EventExample>;

export type EventType = keyof typeof eventCatalogue;

/** The types that a webhook can subscribe to. */
export type PublishedEventType = Exclude<EventType, 'webhook.test'>;

export const eventTypes = Object.keys(eventCatalogue) as EventType[];
export const publishedEventTypes = eventTypes.filter(
  (type): type is PublishedEventType => type !== 'webhook.test',
);
