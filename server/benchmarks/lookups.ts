import pg from 'pg';
import type { TestTenant } from '../src/testing/arrange.ts';
import { runClosedLoop, type LoadResult } from './closed-loop.ts';
import type { ServerProcess } from './server-process.ts';

interface Load {
  connections: number;
  seconds: number;
  /** Runs before the first request. */
  onBegin?: (() => Promise<void>) | undefined;
}

const LOOKUP_TABLES = ['players', 'tenant_access'];

/** Inserts players with access to the tenant, and keeps PostgreSQL from collecting statistics of them. Returns their ids. */
export async function seedLookupPlayers(
  owner: pg.Pool,
  tenant: TestTenant,
  count: number,
): Promise<string[]> {
  for (const table of LOOKUP_TABLES) await owner.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  const { rows } = await owner.query(
    `WITH crowd AS (
       INSERT INTO players (id, display_name, avatar_url, created_at)
       SELECT gen_random_uuid(), 'Player ' || number, 'https://example.com/avatars/' || number || '.png', now()
       FROM generate_series(1, $2::int) number RETURNING id)
     INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at)
     SELECT $1, id, now(), now() FROM crowd RETURNING player_id AS id`,
    [tenant.tenantId, count],
  );
  return rows.map(({ id }) => id);
}

/** Collects the statistics of the tables of look-ups. */
export async function collectLookupStatistics(owner: pg.Pool): Promise<void> {
  await owner.query(`VACUUM ANALYZE ${LOOKUP_TABLES.join(', ')}`);
}

/** Looks up random players. */
export function loadLookups(
  server: ServerProcess,
  tenant: TestTenant,
  playerIds: string[],
  load: Load,
): Promise<LoadResult> {
  const headers = { 'x-game-key': tenant.gameKey };
  const next = () => {
    const id = playerIds[Math.floor(Math.random() * playerIds.length)];
    return { path: `/api/player-profiles/${id}`, headers };
  };
  return runClosedLoop({ ...load, url: server.url, next });
}

/** Measures the limit of the machine: requests to a route that does nothing. */
export function loadLiveness(server: ServerProcess, load: Load): Promise<LoadResult> {
  return runClosedLoop({ ...load, url: server.url, next: () => ({ path: '/health/live', headers: {} }) });
}

/** Measures the limit of the database: reads the same rows with a minimal statement, without HTTP and row-level security. */
export async function rawLookupRate(
  databaseUrl: string,
  tenant: TestTenant,
  playerIds: string[],
  { connections, seconds }: Load,
): Promise<number> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections });
  const text = `
    SELECT player.id, player.display_name, player.avatar_url, player.profile_visibility
    FROM players player JOIN tenant_access access ON access.tenant_id = $1 AND access.player_id = player.id
    WHERE player.id = $2`;
  const deadline = performance.now() + seconds * 1000;
  let count = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < deadline) {
        const id = playerIds[Math.floor(Math.random() * playerIds.length)];
        await pool.query({ name: 'look-up', text, values: [tenant.tenantId, id] });
        count++;
      }
    }),
  );
  await pool.end();
  return count / seconds;
}
