import { setTimeout as sleep } from 'node:timers/promises';
import { arrangeAccount, arrangeTenant, type TestTenant } from '../src/testing/arrange.ts';
import { runClosedLoop, type LoadResult } from './closed-loop.ts';
import type { ServerProcess } from './server-process.ts';

/** A tenant with many players. Another tenant has players with similar names and ids. */
export interface SeededPlayers {
  tenant: TestTenant;
  count: number;
  playerId: string;
}

/**
 * Inserts the rows of sign-ins into two tenants, with half as many players in the second. A third of the names begin with
 * "Player". All ids at StoreA have the same prefix. One player in 200 is banned, and one in 300 is hidden. Then vacuums.
 */
export async function seedPlayers({ owner }: ServerProcess, count: number): Promise<SeededPlayers> {
  const [tenant, other] = [await arrangeTenant({ owner }), await arrangeTenant({ owner })];
  const client = await owner.connect();
  const step = 250_000;
  for (const [{ tenantId }, players, prefix] of [
    [tenant, count, '1'],
    [other, count / 2, '2'],
  ] as const) {
    for (let first = 0; first < players; first += step) {
      await client.query(
        `WITH crowd AS MATERIALIZED (
           SELECT gen_random_uuid() AS id, gen_random_uuid() AS method_id, number, md5($2 || number) AS hash
           FROM generate_series($3::int, least($3 + $4, $5)::int - 1) number),
         profile AS (
           INSERT INTO players (id, display_name, created_at)
           SELECT id, CASE number % 3 WHEN 0 THEN 'Player ' || number WHEN 1 THEN hash ELSE 'Dragon ' || hash END, now()
           FROM crowd RETURNING id, search_name),
         method AS (
           INSERT INTO auth_methods (id, player_id, auth_provider, provider_user_id, email, is_primary, linked_at)
           SELECT method_id, id, CASE number % 3 WHEN 0 THEN 'StoreA' WHEN 1 THEN 'EmailOneTimeCode' ELSE 'WalletJwt' END,
                  CASE number % 3 WHEN 1 THEN hash || '@example.com' ELSE '7656119' || $2 || number END,
                  CASE number % 3 WHEN 0 THEN NULL ELSE hash || '@example.com' END, true, now()
           FROM crowd RETURNING *),
         known AS (
           INSERT INTO tenant_sign_in_methods
           SELECT $1, id, player_id, auth_provider, guildhall_search_form(provider_user_id),
                  guildhall_search_form(nullif(email, provider_user_id)), linked_at FROM method)
         INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at, login_count, banned_until,
                                    hidden_from_discovery, search_name)
         SELECT $1, id, now() - (60 + 300 * random()) * interval '1 day', now() - 60 * random() * interval '1 day',
                1 + floor(1000 * random() ^ 4), CASE WHEN number % 200 = 0 THEN 'infinity'::timestamptz END,
                number % 300 = 0, search_name
         FROM crowd JOIN profile USING (id)`,
        [tenantId, prefix, first, step, players],
      );
    }
    await client.query('INSERT INTO tenant_player_counts (tenant_id, players) VALUES ($1, $2)', [
      tenantId,
      players,
    ]);
  }
  await client.query(
    'VACUUM ANALYZE players, auth_methods, tenant_access, tenant_sign_in_methods, tenant_player_counts',
  );
  const { rows } = await client.query('SELECT player_id FROM tenant_access WHERE tenant_id = $1 LIMIT 1', [
    tenant.tenantId,
  ]);
  client.release();
  return { tenant, count, playerId: rows[0].player_id };
}

/** Measures the player list in each order, with each kind of search and each filter, on its first, middle and last page. */
export async function loadPlayers(
  server: ServerProcess,
  { tenant, count, playerId }: SeededPlayers,
  options: { connections: number; seconds: number },
  report: (label: string, result: LoadResult) => void,
): Promise<void> {
  const account = { databaseUrl: server.databaseUrl, issuer: server.url, owner: server.owner };
  const { bearer } = await arrangeAccount(account, tenant, 'viewer');
  const headers = { authorization: `Bearer ${bearer}` };
  // Otherwise the first lists would be measured together with the last writes of the seeding.
  await sleep(2_000);
  const middle = Math.floor(count / 2);
  const loads: [string, string][] = [
    ...['-lastSeenAt', 'firstSeenAt', 'displayName'].flatMap((sort) => [
      [`all by ${sort}, first page`, `sort=${sort}`] as [string, string],
      [`all by ${sort}, middle page`, `sort=${sort}&offset=${middle}`] as [string, string],
      [`all by ${sort}, last page`, `sort=${sort}&offset=${count - 50}`] as [string, string],
    ]),
    ['search for an id', `search=${playerId}`],
    ['name search, a third of players', 'search=player'],
    ['name search, a third, last page', 'search=player&offset=2450'],
    ['name search, few players', 'search=player+9999'],
    ['provider id search, two thirds of players', 'search=7656119'],
    ['provider id search, few players', 'search=7656119110050'],
    ['email search, thousands of players', 'search=a'],
    ['email search, few players', 'search=a1b2'],
    ['search without a result', 'search=zzzzz'],
    ['banned', 'banned=true'],
    ['neither banned nor hidden', 'banned=false&hidden=false'],
    ['a third of players, by provider', 'authProvider=StoreA'],
  ];
  for (const [label, query] of loads) {
    const path = `/api/bus_tenants/${tenant.tenantId}/players?${query}`;
    report(label, await runClosedLoop({ ...options, url: server.url, next: () => ({ path, headers }) }));
  }
}
