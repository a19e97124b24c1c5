import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../../database/database.ts';
import { readForScrape } from '../../../database/read-for-scrape.ts';
import type { Chain } from './open-chain.ts';
import { readWriterStatus, type WriterStatus } from './queries.ts';

/** Registers the metrics of the outbox. They come from the database, so each process exports the same values. */
export function measureChain(registry: Registry, database: Database, { writer }: Chain): void {
  const read = readForScrape(() => readWriterStatus(database, writer.id));
  const gauge = (name: string, help: string, valueOf: (status: WriterStatus) => number) =>
    new Gauge({
      name: `guildhall_chain_${name}`,
      help,
      registers: [registry],
      async collect() {
        const status = await read();
        if (status) this.set(valueOf(status));
        else this.remove();
      },
    });
  gauge('waiting', 'Transactions that are not in a block yet.', ({ waiting }) => waiting);
  gauge('mined', 'Transactions that are in a block but not final yet.', ({ mined }) => mined);
  gauge(
    'oldest_seconds',
    'Age of the oldest transaction that is not in a block, in seconds.',
    ({ oldestSeconds }) => oldestSeconds,
  );
  gauge(
    'problem',
    '1 while no transaction can be sent. `guildhall chain status` shows the reason.',
    ({ problem }) => (problem === null ? 0 : 1),
  );
}
