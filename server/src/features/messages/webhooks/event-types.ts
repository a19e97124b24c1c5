/** What a receiver is told of an event, as an example. */
interface EventExample {
  description: string;
  data: Record<string, unknown>;
}

const workspaceId = '019a8f3c-0000-7000-8000-000000000001';
const tenantId = '019a8f3c-0000-7000-8000-000000000002';
const keyId = '019a8f3c-0000-7000-8000-000000000003';

/**
 * Every type of event that webhooks tell, with an example of its data, which always names the workspace, and the tenant
 * where it is about one. Documented for receivers in docs/webhooks.md.
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
    description: 'Somebody asked for a test. It goes to that endpoint alone, whatever types it wants.',
    data: { workspaceId },
  },
} as const satisfies Record<string, EventExample>;

export type EventType = keyof typeof eventCatalogue;

/** Those that an endpoint can ask for. */
export type PublishedEventType = Exclude<EventType, 'webhook.test'>;

export const eventTypes = Object.keys(eventCatalogue) as EventType[];
export const publishedEventTypes = eventTypes.filter(
  (type): type is PublishedEventType => type !== 'webhook.test',
);
