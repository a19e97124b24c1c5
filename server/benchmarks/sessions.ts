import { randomUUID } from 'node:crypto';
import { openDatabase } from '../src/database/database.ts';
import { createPartitions } from '../src/database/partitions/create-partitions.ts';
import { rollUpSessions } from '../src/features/gameplay/analytics/index.ts';
import { arrangeTenant, signedToken, type TestTenant } from '../src/testing/arrange.ts';
import { runClosedLoop, type LoadResult } from './closed-loop.ts';
import type { ServerProcess } from './server-process.ts';

const PLAYERS = 200_000;
const DAYS = 365;
const DAY = 86_400_000;

export interface SeededSessions {
  /** The tenant with nine tenths of the logins. */
  big: TestTenant;
  /** One of the other tenants. */
  small: TestTenant;
  /** The player with the most logins: one in two hundred. */
  heavyPlayer: string;
  seconds: { insert: number; rollUp: number };
}

/**
 * Inserts the logins of a year: 200,000 players in 21 tenants, with nine tenths of the logins in one tenant. Three in ten logins
 * have a logout. Then vacuums, as autovacuum does during a year, and rolls up.
 */
export async function seedSessions(server: ServerProcess, logins: number): Promise<SeededSessions> {
  const { owner } = server;
  for (let ago = 0; ago <= DAYS + 31; ago += 28)
    await createPartitions(owner, { today: new Date(Date.now() - ago * DAY) });
  const tenants = await Promise.all(Array.from({ length: 21 }, () => arrangeTenant(server)));
  const heavyPlayer = randomUUID();
  const started = performance.now();
  const step = 250_000;
  const chunks = Array.from({ length: Math.ceil(logins / step) }, (_, chunk) => chunk * step);
  const insertChunks = async () => {
    for (let first = chunks.shift(); first !== undefined; first = chunks.shift()) {
      const last = Math.min(first + step, logins) - 1;
      await owner.query(
        `WITH login AS (
           SELECT number, now() - (1 - number / $3::float8) * $4 * interval '1 day' AS at,
                  CASE WHEN number % 200 = 0 THEN $5::uuid ELSE md5('player' || floor($6 * random() ^ 2)::text)::uuid END AS player_id,
                  CASE WHEN random() < 0.9 THEN ($7::uuid[])[1] ELSE ($7::uuid[])[2 + floor(20 * random())] END AS tenant_id,
                  (ARRAY['PC_Windows','PC_Linux','ConsoleB5','ConsoleCSeriesX','HandheldConsoleA','Mobile_iOS','Mobile_Android','Unknown'])[1 + floor(8 * random() ^ 2)] AS platform,
                  (ARRAY['store_a','store_b','email','evm_wallet'])[1 + floor(4 * random() ^ 2)] AS provider
           FROM generate_series($1::int, $2::int) AS number),
         logout AS (
           INSERT INTO logout_ledger (tenant_id, id, session_id, player_id, reason, occurred_at, created_at_gl, received_at_db)
           SELECT tenant_id, gen_random_uuid(), gen_random_uuid(), player_id, 'user_logout', at, at, at FROM login WHERE number % 10 < 3)
         INSERT INTO login_ledger (tenant_id, id, session_id, player_id, auth_provider, platform, client_version,
                                   occurred_at, created_at_gl, received_at_db, personal_data, row_hash)
         SELECT tenant_id, gen_random_uuid(), gen_random_uuid(), player_id, provider, platform, '1.4.2',
                at, at, at, sha256('address') || sha256('metadata'), sha256(number::text::bytea)
         FROM login`,
        [first, last, logins, DAYS, heavyPlayer, PLAYERS, tenants.map(({ tenantId }) => tenantId)],
      );
    }
  };
  await Promise.all([insertChunks(), insertChunks()]);
  await owner.query(
    `INSERT INTO players (id, created_at)
     SELECT $1::uuid, now() UNION ALL
     SELECT md5('player' || number::text)::uuid, now() FROM generate_series(0, $2::int - 1) AS number`,
    [heavyPlayer, PLAYERS],
  );
  await owner.query('VACUUM ANALYZE players, login_ledger, logout_ledger');
  const inserted = performance.now();
  const database = openDatabase(server.databaseUrl, { poolSize: 1 });
  await rollUpSessions(database);
  await database.close();
  await owner.query('VACUUM ANALYZE login_rollups, logout_rollups, player_rollups, player_numbers');
  return {
    big: tenants[0]!,
    small: tenants[1]!,
    heavyPlayer,
    seconds: { insert: (inserted - started) / 1000, rollUp: (performance.now() - inserted) / 1000 },
  };
}

/** Measures reads of the seeded ledgers. The requests of a load vary, except for fixed ranges. */
export async function loadSessions(
  server: ServerProcess,
  seeded: SeededSessions,
  options: { connections: number; seconds: number },
  report: (label: string, result: LoadResult) => void,
): Promise<void> {
  const issuer = { databaseUrl: server.databaseUrl, issuer: server.url };
  const bearer = async (playerId: string) => ({
    authorization: `Bearer ${await signedToken(issuer, 'player', playerId, { tid: null, sid: null })}`,
  });
  const { rows } = await server.owner.query<{ player_id: string }>(
    'SELECT player_id FROM login_ledger TABLESAMPLE BERNOULLI (0.1) LIMIT 300',
  );
  const typical: { authorization: string }[] = [];
  for (const { player_id } of rows.filter((row) => row.player_id !== seeded.heavyPlayer))
    typical.push(await bearer(player_id));
  const heavy = await bearer(seeded.heavyPlayer);
  const anyTypical = () => typical[Math.floor(Math.random() * typical.length)]!;
  const instant = (days: number) => new Date(Date.now() - days * DAY).toISOString();

  const history = '/api/player/sessions/history';
  const place = () => `cursorTimestamp=${instant(Math.random() * DAYS)}&cursorId=${randomUUID()}`;
  const analytics = ({ tenantId }: TestTenant) => `/api/bus_tenants/${tenantId}/sessions/analytics`;
  const apiKey = { 'x-api-key': seeded.big.apiKey };
  const anyRange = () => {
    const [from, to] = [Math.random() * DAYS, Math.random() * DAYS].toSorted((a, b) => b - a);
    return `from=${instant(from!)}&to=${instant(to!)}`;
  };
  const loads: [string, () => { path: string; headers: Record<string, string> }][] = [
    ['history, a typical player', () => ({ path: history, headers: anyTypical() })],
    ['history, the heavy player, any page', () => ({ path: `${history}?${place()}`, headers: heavy })],
    [
      'history, the heavy player in a small tenant',
      () => ({ path: `${history}?tenantId=${seeded.small.tenantId}&${place()}`, headers: heavy }),
    ],
    ['summary, a typical player', () => ({ path: '/api/player/sessions/summary', headers: anyTypical() })],
    ['summary, the heavy player', () => ({ path: '/api/player/sessions/summary', headers: heavy })],
    ['analytics, 30 days', () => ({ path: analytics(seeded.big), headers: apiKey })],
    [
      'analytics, the whole year',
      () => ({ path: `${analytics(seeded.big)}?from=${instant(DAYS + 1)}`, headers: apiKey }),
    ],
    [
      'analytics, a random range',
      () => ({ path: `${analytics(seeded.big)}?${anyRange()}`, headers: apiKey }),
    ],
  ];
  for (const [label, next] of loads) {
    report(label, await runClosedLoop({ ...options, url: server.url, next }));
  }
}
