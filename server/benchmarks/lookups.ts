import pg from 'pg';
import type { TestTenant } from '../src/testing/arrange.ts';
import { closedLoop, type LoadResult } from './closed-loop.ts';
import type { ServerProcess } from './server-process.ts';

interface Load {
  connections: number;
  seconds: number;
}

/** Puts players with access to the tenant into the database, and returns their ids. */
export async function makeCrowd(owner: pg.Pool, tenant: TestTenant, count: number): Promise<string[]> {
  const { rows } = await owner.query(
    `WITH crowd AS (
       INSERT INTO players (id, display_name, avatar_url, created_at)
       SELECT gen_random_uuid(), 'Player ' || number, 'https://example.com/avatars/' || number || '.png', now()
       FROM generate_series(1, $2::int) number RETURNING id)
     INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at)
     SELECT $1, id, now(), now() FROM crowd RETURNING player_id AS id`,
    [tenant.tenantId, count],
  );
  await owner.query('VACUUM ANALYZE players, tenant_access');
  return rows.map(({ id }) => id);
}

/** Look-ups of players at random. */
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
  return closedLoop({ ...load, url: server.url, next });
}

/** The limit of the machine: the same exchange with a route that does nothing. */
export function loadNothing(server: ServerProcess, load: Load): Promise<LoadResult> {
  return closedLoop({ ...load, url: server.url, next: () => ({ path: '/health/live', headers: {} }) });
}

/** The limit of the database: the same rows by the shortest statement, with neither HTTP nor walls between tenants. */
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
