import { arrangeTenant, type TestTenant } from '../src/testing/arrange.ts';
import type { LoadResult } from './closed-loop.ts';
import { loadLiveness, loadLookups, seedLookupPlayers } from './lookups.ts';
import { loadEvents, loadLogins, loadRefreshes, signInKnownPlayers } from './scenarios.ts';
import { round } from './report.ts';
import { startServerProcess, type ServerProcess } from './server-process.ts';

const CONNECTIONS = 64;
const LOOKUP_PLAYERS = 10_000;

interface Measurement {
  name: string;
  run(server: ServerProcess, tenant: TestTenant, playerIds: string[]): Promise<LoadResult>;
}

/** Measures the same loads with one process and with several, each on a new server. Prints both rates and the gain. */
export async function compareProcesses(processes: number, seconds: number): Promise<void> {
  const load = { connections: CONNECTIONS, seconds };
  const measurements: Measurement[] = [
    { name: 'GET /health/live', run: (server) => loadLiveness(server, load) },
    { name: 'a profile look-up', run: (server, tenant, ids) => loadLookups(server, tenant, ids, load) },
    { name: 'token refresh', run: (server, tenant) => loadRefreshes(server, tenant, load) },
    {
      name: 'sign-in of a known player',
      run: (server, tenant) => loadLogins(server, tenant, { ...load, kind: 'existing' }),
    },
    { name: 'one event', run: (server, tenant) => loadEvents(server, tenant, { ...load, batch: 1 }) },
    {
      name: 'events, batches of 100',
      run: (server, tenant) => loadEvents(server, tenant, { connections: 8, seconds, batch: 100 }),
    },
  ];

  const measure = async (count: number): Promise<LoadResult[]> => {
    const server = await startServerProcess({ processes: count });
    try {
      const tenant = await arrangeUnlimitedTenant(server);
      const playerIds = await seedLookupPlayers(server.owner, tenant, LOOKUP_PLAYERS);
      await signInKnownPlayers(server, tenant);
      const results: LoadResult[] = [];
      for (const { run } of measurements) results.push(await run(server, tenant, playerIds));
      console.log(
        `  ${count === 1 ? '1 process' : `${count} processes`}: ${await server.memory()} MiB afterwards`,
      );
      return results;
    } finally {
      await server.stop();
    }
  };

  console.log(
    `\n1 and ${processes} processes, ${CONNECTIONS} connections (8 for batches). Requests per second`,
  );
  const [one, several] = [await measure(1), await measure(processes)];
  for (const [index, { name }] of measurements.entries()) {
    const [before, after] = [one[index]!, several[index]!];
    const gain = (after.perSecond / before.perSecond).toFixed(2);
    const errors = before.errors + after.errors > 0 ? `, ${before.errors} + ${after.errors} ERRORS` : '';
    console.log(
      `  ${name.padEnd(28)} ${round(before.perSecond)} → ${round(after.perSecond)}, gain ${gain}, ` +
        `p99 ${before.p99.toFixed(1)} → ${after.p99.toFixed(1)} ms${errors}`,
    );
  }
}

/** A tenant without a limit of requests. */
export async function arrangeUnlimitedTenant(server: ServerProcess): Promise<TestTenant> {
  const tenant = await arrangeTenant(server);
  await server.owner.query('UPDATE tenants SET auto_create_definitions = true WHERE id = $1', [
    tenant.tenantId,
  ]);
  await server.owner.query(
    'UPDATE workspaces SET requests_per_minute = 2147483647, requests_per_hour = 2147483647 WHERE id = $1',
    [tenant.workspaceId],
  );
  return tenant;
}
