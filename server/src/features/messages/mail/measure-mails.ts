import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../../database/database.ts';
import { readForScrape } from '../../../database/read-for-scrape.ts';
import { countRecentMails, MAX_RECENT_MAILS, RECENT_MINUTES } from './queries.ts';

/**
 * Registers how the mail server treats the latest mails. The numbers come from the database, so each process exports the same values,
 * also if the worker is another process.
 */
export function measureMails(registry: Registry, database: Database): void {
  const read = readForScrape(() => countRecentMails(database));
  registry.registerMetric(
    new Gauge({
      name: 'guildhall_recent_mails',
      help:
        `Mails of the last ${RECENT_MINUTES} minutes, at most the last ${MAX_RECENT_MAILS}, by their last attempt: ` +
        'sent, deferred (another attempt follows), refused (for good).',
      labelNames: ['result'] as const,
      registers: [],
      async collect() {
        this.reset();
        for (const [result, count] of Object.entries((await read()) ?? {})) this.set({ result }, count);
      },
    }),
  );
}
