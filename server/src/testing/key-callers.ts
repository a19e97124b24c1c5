import { randomUUID } from 'node:crypto';
import type { KeyCaller } from '../core/callers.ts';

/** A verified key with these rate limits, for unit tests without a database. */
export function keyWith(perMinute: number, perHour = 1_000_000, kind: KeyCaller['kind'] = 'game'): KeyCaller {
  return {
    keyId: randomUUID(),
    kind,
    tenantId: randomUUID(),
    workspaceId: randomUUID(),
    allowDataApi: true,
    requirePlayerToken: false,
    rateLimit: { perMinute, perHour },
    maxMatchEventsPerRequest: 1,
    maxPlayerEventsPerRequest: 1,
    alertThresholds: { rate_spike: 60_000, payload_spike: 60_000 },
    payerId: randomUUID(),
    payerHasHardStop: false,
  };
}
