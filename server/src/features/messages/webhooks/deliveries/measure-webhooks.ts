import type { Registry } from 'prom-client';
import { measureResults } from '../../../../database/measure-results.ts';
import type { Database } from '../../../../database/database.ts';
import { countRecentWebhooks, MAX_RECENT_DELIVERIES, RECENT_MINUTES } from './queries.ts';

/** Registers how many receivers of webhooks answer. */
export function measureWebhooks(registry: Registry, database: Database): void {
  measureResults(registry, {
    name: 'guildhall_recent_webhooks',
    help:
      `Webhooks with an attempt in the last ${RECENT_MINUTES} minutes, by its result: delivered, refused (the endpoint answered with ` +
      `another status), unreachable. Only the last ${MAX_RECENT_DELIVERIES} deliveries are read.`,
    read: () => countRecentWebhooks(database.forPlatform()),
  });
}
