import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../../database/database.ts';
import type { Chain } from './open-chain.ts';
import { readStanding, type Standing } from './queries.ts';

/** Figures about what is on its way to the chain. They come from the database, so each process tells them, whoever sends. */
export function measureChain(registry: Registry, database: Database, { writer }: Chain): void {
  let reading: Promise<Standing> | undefined;
  // All figures of one collection come from one reading.
  const read = () =>
    (reading ??= readStanding(database, writer.id).finally(() => {
      reading = undefined;
    }));
  const gauge = (name: string, help: string, valueOf: (standing: Standing) => number) =>
    new Gauge({
      name: `guildhall_chain_${name}`,
      help,
      registers: [registry],
      async collect() {
        this.set(valueOf(await read()));
      },
    });
  gauge('waiting', 'Transactions that are in no block yet.', ({ waiting }) => waiting);
  gauge('mined', 'Transactions that are in a block, and not yet final.', ({ mined }) => mined);
  gauge(
    'oldest_seconds',
    'How long the oldest one in no block has waited.',
    ({ oldestSeconds }) => oldestSeconds,
  );
  gauge('problem', '1 while nothing can be sent: `guildhall chain status` says why.', ({ problem }) =>
    problem === null ? 0 : 1,
  );
}
