import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../../database/database.ts';
import { readForScrape } from '../../../database/read-for-scrape.ts';
import { countRecentWebhooks, MAX_RECENT_DELIVERIES, RECENT_MINUTES } from './delivery-queries.ts';

/**
 * Registers how many receivers of webhooks answer. The numbers come from the database, so each process exports the same values, also
 * if the worker is another process.
 */
export function measureWebhooks(registry: Registry, database: Database): void {
  const read = readForScrape(() => countRecentWebhooks(database.forPlatform()));
  const webhooks = new Gauge({
    name: 'guildhall_recent_webhooks',
    help:
      `Webhooks with an attempt in the last ${RECENT_MINUTES} minutes, by its result: delivered, refused (the endpoint answered with ` +
      `another status), unreachable. Only the last ${MAX_RECENT_DELIVERIES} deliveries are read.`,
    labelNames: ['result'] as const,
    registers: [],
    async collect() {
      this.reset();
      for (const [result, count] of Object.entries((await read()) ?? {})) this.set({ result }, count);
    },
  });
  registry.registerMetric(webhooks);
}
