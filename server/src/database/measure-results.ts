import type { Registry } from 'prom-client';
import { addGauge } from '../core/add-gauge.ts';
import { readForScrape } from './read-for-scrape.ts';

/**
 * Registers a gauge with a number for each result. The numbers come from the database, so each process exports the same values, also
 * if the worker is another process.
 */
export function measureResults(
  registry: Registry,
  { name, help, read }: { name: string; help: string; read: () => Promise<Record<string, number>> },
): void {
  const readOnce = readForScrape(read);
  addGauge(registry, { name, help, labels: ['result'] }, async () => {
    const results = await readOnce();
    return results && Object.entries(results).map(([result, value]) => ({ labels: { result }, value }));
  });
}
