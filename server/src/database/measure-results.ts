import { Gauge, type Registry } from 'prom-client';
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
  registry.registerMetric(
    new Gauge({
      name: `guildhall_${name}`,
      help,
      labelNames: ['result'] as const,
      registers: [],
      async collect() {
        this.reset();
        for (const [result, count] of Object.entries((await readOnce()) ?? {})) this.set({ result }, count);
      },
    }),
  );
}
