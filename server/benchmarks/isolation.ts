import type pg from 'pg';
import type { LoadResult } from './closed-loop.ts';
import type { ServerProcess } from './server-process.ts';

/** The measured processor time of PostgreSQL in µs per request, with and without row-level security. */
export interface IsolationCost {
  with: number;
  without: number;
}

/** More pairs make a difference of some µs visible on a machine that does other work. */
const PAIRS = 4;

/**
 * Measures what row-level security costs. Runs a load with and without it, alternating, so that a machine that becomes slower or
 * faster affects both.
 */
export async function measureIsolationCost(
  server: ServerProcess,
  run: () => Promise<LoadResult>,
): Promise<IsolationCost> {
  const total = { with: { ms: 0, requests: 0 }, without: { ms: 0, requests: 0 } };
  for (let pair = 0; pair < PAIRS; pair++) {
    // Each second pair begins with the other one.
    const order = pair % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const);
    for (const kind of order) {
      await setRowSecurity(server.owner, kind === 'with');
      const before = await server.processorTime();
      const { answered } = await run();
      const after = await server.processorTime();
      total[kind].ms += after.postgres - before.postgres;
      total[kind].requests += answered;
    }
  }
  await setRowSecurity(server.owner, true);
  const each = ({ ms, requests }: { ms: number; requests: number }) => (1000 * ms) / requests;
  return { with: each(total.with), without: each(total.without) };
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
