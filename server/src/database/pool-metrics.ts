import type pg from 'pg';
import { Gauge, type Registry } from 'prom-client';

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

function sumByPool(valueOf: (pool: pg.Pool, measured: MeasuredPool) => number): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [pool, measured] of pools)
    if (!pool.ending) sums.set(measured.name, (sums.get(measured.name) ?? 0) + valueOf(pool, measured));
  return sums;
}

/** Registers the metrics of all pools of this process. */
export function measurePools(registry: Registry): void {
  const gauge = (name: string, help: string, collect: (gauge: Gauge) => void) =>
    new Gauge({
      name: `guildhall_database_${name}`,
      help,
      labelNames: name === 'connections' ? ['pool', 'state'] : ['pool'],
      registers: [registry],
      collect() {
        collect(this);
      },
    });
  gauge('connections', 'Open connections to PostgreSQL, by the work of their pool.', (connections) => {
    for (const [pool, idle] of sumByPool(({ idleCount }) => idleCount))
      connections.set({ pool, state: 'idle' }, idle);
    for (const [pool, used] of sumByPool(({ totalCount, idleCount }) => totalCount - idleCount))
      connections.set({ pool, state: 'used' }, used);
  });
  gauge('connections_max', 'The most connections that a pool opens.', (connections) => {
    for (const [pool, most] of sumByPool(({ options }) => options.max)) connections.set({ pool }, most);
  });
  gauge('waiting_requests', 'Transactions that wait for a connection of their pool.', (requests) => {
    for (const [pool, waiting] of sumByPool(
      ({ waitingCount }, { waitingBefore }) => waitingCount + waitingBefore(),
    ))
      requests.set({ pool }, waiting);
  });
}
