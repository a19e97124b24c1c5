import { randomUUID } from 'node:crypto';
import { openDatabase } from '../src/database/database.ts';
import { createPartitions } from '../src/database/partitions/create-partitions.ts';
import { noArchive } from '../src/testing/no-archive.ts';
import { rebuildRollups } from '../src/features/gameplay/events/index.ts';
import { arrangeTenant, type TestTenant } from '../src/testing/arrange.ts';
import type { LoadRequest } from './closed-loop.ts';
import type { ServerProcess } from './server-process.ts';

export const DAYS = 30;
export const DAY = 86_400_000;
const DEFINITIONS = 40;
const PLAYERS = 10_000;

export interface SeededEvents {
  tenant: TestTenant;
  seconds: { insert: number; rebuild: number };
  rollups: { rows: number; bytes: number };
}

/**
 * Inserts the events of the 30 days before a time, of 10,000 players and 40 definitions. Two of three have a value. Then builds the
 * roll-ups.
 */
export async function seedCountedEvents(
  server: ServerProcess,
  events: number,
  until = new Date(),
): Promise<SeededEvents> {
  const { owner } = server;
  for (const ago of [DAYS + 1, 0])
    await createPartitions(owner, { today: new Date(until.getTime() - ago * DAY) });
  const tenant = await arrangeTenant(server);
  const { tenantId } = tenant;
  await owner.query(
    `INSERT INTO event_definitions (tenant_id, id, event_key, event_value, event_scope)
     SELECT $1, md5('definition' || number)::uuid, 'key-' || number % 10, 'value-' || number, 'both'
     FROM generate_series(0, $2::int - 1) AS number`,
    [tenantId, DEFINITIONS],
  );
  const started = performance.now();
  const step = 250_000;
  for (let first = 0; first < events; first += step)
    await owner.query(
      `INSERT INTO player_events (occurred_at, created_at_gl, value, tenant_id, id, player_id, event_definitions_id,
                                  idempotency_key, row_hash)
       SELECT at, at, CASE WHEN number % 3 > 0 THEN number % 1000 END, $5, gen_random_uuid(),
              md5('player' || number % $6)::uuid, md5('definition' || floor($7 * random() ^ 2)::int)::uuid,
              number::text, sha256(number::text::bytea)
       FROM (SELECT number, $8::timestamptz - (1 - number / $3::float8) * $4 * interval '1 day' AS at
             FROM generate_series($1::int, $2::int) AS number) event`,
      [first, Math.min(first + step, events) - 1, events, DAYS, tenantId, PLAYERS, DEFINITIONS, until],
    );
  await owner.query('VACUUM ANALYZE player_events');
  const inserted = performance.now();
  const database = openDatabase(server.databaseUrl, { poolSize: 2, work: 'job' });
  await rebuildRollups({ database, archive: noArchive }, tenantId, () => {});
  await database.close();
  const rebuilt = performance.now();
  await owner.query('VACUUM ANALYZE event_rollups');
  const { rows } = await owner.query<{ rows: number; bytes: number }>(
    `SELECT count(*)::int AS rows,
            (SELECT sum(pg_total_relation_size(relid))::float8 FROM pg_partition_tree('event_rollups')) AS bytes
     FROM event_rollups`,
  );
  return {
    tenant,
    seconds: { insert: (inserted - started) / 1000, rebuild: (rebuilt - inserted) / 1000 },
    rollups: rows[0]!,
  };
}

/** Requests for counts, each from the roll-ups and from the events themselves. */
export function countLoads({ tenantId, apiKey }: TestTenant): [label: string, next: () => LoadRequest][] {
  const at = `/api/bus_tenants/${tenantId}`;
  const headers = { 'x-api-key': apiKey };
  const now = Math.floor(Date.now() / 60_000) * 60_000;
  const since = (days: number) => ({
    from: new Date(now - days * DAY).toISOString(),
    to: new Date(now).toISOString(),
  });
  const summary = (days: number, bucket: string, more = {}) => {
    const query = new URLSearchParams({ scope: 'player', bucket, ...since(days), ...more });
    return () => ({ path: `${at}/events/summary?${query}`, headers });
  };
  const query = (days: number, body: object) => () => ({
    path: `${at}/queries`,
    headers,
    body: JSON.stringify({ scope: 'player', ...since(days), ...body }),
  });
  /** A condition that all events with a value fulfil, and that roll-ups do not know. */
  const byEvents = { where: { minimumValue: Number.MIN_SAFE_INTEGER } };
  const daily = { groupBy: ['eventKey'], bucket: 'day' };
  return [
    ['summary, an hour by minute', summary(1 / 24, 'minute')],
    ['summary, a day by hour', summary(1, 'hour')],
    ['summary, 7 days by hour', summary(7, 'hour')],
    ['summary, 7 days by hour, all definitions together', summary(7, 'hour', { groupBy: 'time' })],
    ['summary, 7 days by hour, five keys', summary(7, 'hour', { groupBy: 'eventKey', top: '5' })],
    ['summary, 30 days by day', summary(30, 'day')],
    ['query, 30 days by key and day', query(30, daily)],
    ['query, 30 days in one row', query(30, {})],
    [
      'from the events: query, an hour by key and minute',
      query(1 / 24, { groupBy: ['eventKey'], bucket: 'minute', ...byEvents }),
    ],
    [
      'from the events: query, a day by key and hour',
      query(1, { groupBy: ['eventKey'], bucket: 'hour', ...byEvents }),
    ],
    [
      'from the events: query, 7 days by key and hour',
      query(7, { groupBy: ['eventKey'], bucket: 'hour', ...byEvents }),
    ],
    ['from the events: query, 30 days by key and day', query(30, { ...daily, ...byEvents })],
    ['from the events: one player, 30 days', summary(30, 'day', { playerId: randomUUID() })],
  ];
}
