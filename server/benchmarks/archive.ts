import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { firstOfMonth } from '../src/database/partitions/partitioned-tables.ts';
import { archiveEvents, createDuckdb } from '../src/features/gameplay/events/index.ts';
import { runClosedLoop, type LoadResult } from './closed-loop.ts';
import { DAY, DAYS, seedCountedEvents } from './counts.ts';
import type { ServerProcess } from './server-process.ts';

/** How an archived month compares with the same month in PostgreSQL. */
export interface ArchivedEvents {
  events: number;
  /** Without the ids and hashes, `queries` read one of the two files. */
  bytes: { postgres: number; queries: number; all: number };
  seconds: number;
}

/** Measures queries over the events of last month, archives the month, and measures the same queries again. */
export async function archiveLastMonth(
  server: ServerProcess,
  events: number,
  options: { seconds: number },
  report: (label: string, result: LoadResult) => void,
): Promise<ArchivedEvents> {
  const { owner } = server;
  const before = firstOfMonth(new Date());
  const until = new Date(`${before}T00:00:00Z`);
  const { tenant } = await seedCountedEvents(server, events, until);
  const ask = async (place: string): Promise<void> => {
    for (const [label, more] of [
      ['by key and day', { groupBy: ['eventKey'], bucket: 'day' }],
      ['by player', { groupBy: ['playerId'], limit: 100 }],
    ] as const) {
      const body = JSON.stringify({
        scope: 'player',
        from: new Date(until.getTime() - DAYS * DAY).toISOString(),
        to: until.toISOString(),
        // Roll-ups do not know values, so the events themselves are read.
        where: { minimumValue: Number.MIN_SAFE_INTEGER },
        ...more,
      });
      const path = `/api/bus_tenants/${tenant.tenantId}/queries`;
      const next = () => ({ path, headers: { 'x-api-key': tenant.apiKey }, body });
      report(
        `${place}: 30 days ${label}`,
        await runClosedLoop({ ...options, connections: 1, url: server.url, next }),
      );
    }
  };
  await ask('PostgreSQL');
  const { rows } = await owner.query<{ bytes: number }>(
    `SELECT sum(pg_total_relation_size(relid))::float8 AS bytes FROM pg_partition_tree('player_events') WHERE isleaf`,
  );
  const root = join(server.dataDir, 'archive');
  const started = performance.now();
  const bytes = { postgres: rows[0]!.bytes, queries: 0, all: 0 };
  let archived = 0;
  await archiveEvents(owner, { root, duckdb: createDuckdb() }, before, ({ parts }) => {
    for (const part of parts) {
      archived += part.rows;
      bytes.all += part.bytes;
    }
  });
  const seconds = (performance.now() - started) / 1000;
  for (const file of globSync('**/events.parquet', { cwd: root }))
    bytes.queries += statSync(join(root, file)).size;
  await ask('archive');
  return { events: archived, bytes, seconds };
}
