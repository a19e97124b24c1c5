import { createPartitions } from '../src/database/partitions/create-partitions.ts';
import type { TestTenant } from '../src/testing/arrange.ts';
import type { LoadResult } from './closed-loop.ts';
import { loadEvents } from './scenarios.ts';
import type { ServerProcess } from './server-process.ts';

/**
 * Puts match events of the current month into the default partition, as if no worker had made partitions for three months. Then
 * makes the partition, which moves the rows, while one connection sends single events. Returns the result of that connection.
 */
export async function moveLateMonth(
  server: ServerProcess,
  tenant: TestTenant,
  rows: number,
): Promise<{ seconds: number; load: LoadResult }> {
  const { owner } = server;
  // The partition of this month. Its one event is the pattern of all others.
  await loadEvents(server, tenant, { batch: 1, connections: 1, seconds: 1, requests: 1 });
  const { rows: current } = await owner.query(
    'SELECT DISTINCT tableoid::regclass::text AS name FROM match_events WHERE tenant_id = $1',
    [tenant.tenantId],
  );
  await owner.query(
    `CREATE TEMP TABLE pattern AS SELECT * FROM match_events WHERE tenant_id = '${tenant.tenantId}' LIMIT 1;
     DROP TABLE ${current[0].name};
     INSERT INTO match_events_default (occurred_at, created_at_gl, value, tenant_id, id, match_player_id, match_session_id,
                                       login_session_id, event_definitions_id, idempotency_key, row_hash)
     SELECT date_trunc('month', now(), 'UTC') + number * interval '1 millisecond', created_at_gl, value, tenant_id,
            gen_random_uuid(), match_player_id, match_session_id, login_session_id, event_definitions_id, 'late ' || number, row_hash
     FROM pattern, generate_series(1, ${rows}) AS number;
     DROP TABLE pattern`,
  );
  const moved = new AbortController();
  const started = performance.now();
  const moving = createPartitions(owner).finally(() => moved.abort());
  const load = await loadEvents(server, tenant, {
    batch: 1,
    connections: 1,
    seconds: 600,
    until: moved.signal,
  });
  await moving;
  return { seconds: (performance.now() - started) / 1000, load };
}
