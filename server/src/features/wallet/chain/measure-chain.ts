import type { Registry } from 'prom-client';
import { addGauge } from '../../../core/add-gauge.ts';
import type { Database } from '../../../database/database.ts';
import { readForScrape } from '../../../database/read-for-scrape.ts';
import type { Chain } from './open-chain.ts';
import { readWriterStatus, type WriterStatus } from './queries.ts';

/** Registers the metrics of the outbox. They come from the database, so each process exports the same values. */
export function measureChain(registry: Registry, database: Database, { writer }: Chain): void {
  const read = readForScrape(() => readWriterStatus(database, writer.id));
  const addChainGauge = (name: string, help: string, valueOf: (status: WriterStatus) => number) =>
    addGauge(registry, { name, help }, async () => {
      const status = await read();
      return status && valueOf(status);
    });
  addChainGauge(
    'guildhall_chain_waiting',
    'Transactions that are not in a block yet.',
    ({ waiting }) => waiting,
  );
  addChainGauge(
    'guildhall_chain_mined',
    'Transactions that are in a block but not final yet.',
    ({ mined }) => mined,
  );
  addChainGauge(
    'guildhall_chain_oldest_seconds',
    'Age of the oldest transaction that is not in a block, in seconds.',
    ({ oldestSeconds }) => oldestSeconds,
  );
  addChainGauge(
    'guildhall_chain_problem',
    '1 while no transaction can be sent. `guildhall chain status` shows the reason.',
    ({ problem }) => (problem === null ? 0 : 1),
  );
}
