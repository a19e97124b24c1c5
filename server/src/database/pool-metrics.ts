import type pg from 'pg';
import type { Registry } from 'prom-client';
import { addGauge } from '../core/add-gauge.ts';

interface MeasuredPool {
  name: string;
  /** How much work waits before it asks the pool. */
  waitingBefore: () => number;
}

const pools = new Map<pg.Pool, MeasuredPool>();

/** Adds the connections of a pool to the metrics until the pool ends. Pools of one name are added up. */
export function measurePool(name: string, pool: pg.Pool, waitingBefore = () => 0): void {
  for (const known of pools.keys()) if (known.ending) pools.delete(known);
  pools.set(pool, { name, waitingBefore });
}

/** Adds up a value of the pools of each name. */
function sumByPool(valueOf: (pool: pg.Pool, measured: MeasuredPool) => number, labels = {}) {
  const sums = new Map<string, number>();
  for (const [pool, measured] of pools)
    if (!pool.ending) sums.set(measured.name, (sums.get(measured.name) ?? 0) + valueOf(pool, measured));
  return [...sums].map(([pool, value]) => ({ labels: { pool, ...labels }, value }));
}

/** Registers the metrics of all pools of this process. */
export function measurePools(registry: Registry): void {
  addGauge(
    registry,
    {
      name: 'guildhall_database_connections',
      help: 'Open connections to PostgreSQL, by the work of their pool.',
      labels: ['pool', 'state'],
    },
    () => [
      ...sumByPool(({ idleCount }) => idleCount, { state: 'idle' }),
      ...sumByPool(({ totalCount, idleCount }) => totalCount - idleCount, { state: 'used' }),
    ],
  );
  addGauge(
    registry,
    {
      name: 'guildhall_database_connections_max',
      help: 'The most connections that a pool opens.',
      labels: ['pool'],
    },
    () => sumByPool(({ options }) => options.max),
  );
  addGauge(
    registry,
    {
      name: 'guildhall_database_waiting_requests',
      help: 'Transactions that wait for a connection of their pool.',
      labels: ['pool'],
    },
    () => sumByPool(({ waitingCount }, { waitingBefore }) => waitingCount + waitingBefore()),
  );
}
