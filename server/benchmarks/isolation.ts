import type pg from 'pg';
import { median } from '../src/testing/statistics.ts';
import type { LoadResult } from './closed-loop.ts';
import type { ServerProcess } from './server-process.ts';

/** The processor time of PostgreSQL in µs per request, with and without row-level security. */
export interface IsolationCost {
  with: number;
  without: number;
  /** The median of the differences of all pairs, and its 95 % confidence interval. */
  difference: number;
  least: number;
  most: number;
}

/** Runs a load for some seconds. Calls `onBegin` when the load is prepared. */
export type RunLoad = (seconds: number, onBegin?: () => Promise<void>) => Promise<LoadResult>;

/** The machine changes less in a short pair than in a long one, and a median of many pairs leaves out those in which it changed. */
const MEASURED_SECONDS = 0.7;
/** Connections plan their statements again after the policies have changed. */
const WARM_UP_SECONDS = 0.3;

/**
 * Measures what row-level security costs. Runs a load with and without it in pairs, and compares the two of each pair. A pair
 * takes about two seconds.
 */
export async function measureIsolationCost(
  server: ServerProcess,
  run: RunLoad,
  pairs: number,
): Promise<IsolationCost> {
  const perRequest = { with: [] as number[], without: [] as number[] };
  for (let pair = 0; pair < pairs; pair++) {
    // Each second pair begins with the other one.
    const order = pair % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const);
    for (const kind of order) {
      await setRowSecurity(server.owner, kind === 'with');
      await run(WARM_UP_SECONDS);
      let before = 0;
      const { answered } = await run(MEASURED_SECONDS, async () => {
        before = (await server.processorTime()).postgres;
      });
      const after = (await server.processorTime()).postgres;
      perRequest[kind].push((1000 * (after - before)) / answered);
    }
  }
  await setRowSecurity(server.owner, true);
  const differences = perRequest.with.map((cost, pair) => cost - perRequest.without[pair]!);
  return {
    with: median(perRequest.with),
    without: median(perRequest.without),
    difference: median(differences),
    ...confidenceOfMedian(differences),
  };
}

/** In any distribution, a value is above the true median with a probability of one half. So the ranks of the values bound it. */
function confidenceOfMedian(values: readonly number[]): { least: number; most: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.max(0, Math.floor((sorted.length - 1.96 * Math.sqrt(sorted.length)) / 2));
  return { least: sorted[rank]!, most: sorted[sorted.length - 1 - rank]! };
}

/** Turns the policies of all tables that have some on or off. */
async function setRowSecurity(owner: pg.Pool, isOn: boolean): Promise<void> {
  const { rows } = await owner.query<{ table: string }>(
    `SELECT DISTINCT polrelid::regclass::text AS table FROM pg_policy JOIN pg_class ON pg_class.oid = polrelid
     WHERE relnamespace = 'public'::regnamespace`,
  );
  for (const { table } of rows)
    await owner.query(`ALTER TABLE ${table} ${isOn ? 'ENABLE' : 'DISABLE'} ROW LEVEL SECURITY`);
}
