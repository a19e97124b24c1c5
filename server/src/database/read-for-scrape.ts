import { within } from '../core/concurrency/within.ts';

/** How long a scrape waits for the database. Prometheus waits for 10 seconds by default. */
const SCRAPE_WAIT_MS = 1000;

/**
 * Reads values for gauges, for all gauges of a scrape at once. Returns undefined if the database fails or does not answer
 * within a second, so that the other metrics can be read meanwhile. A query that is still running is not repeated.
 */
export function readForScrape<Value>(read: () => Promise<Value>): () => Promise<Value | undefined> {
  let reading: Promise<Value | undefined> | undefined;
  return async () => {
    reading ??= read()
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
    return within(SCRAPE_WAIT_MS, reading);
  };
}
