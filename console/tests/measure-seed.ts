import { createPartitions } from '../../server/src/database/partitions/create-partitions.ts';
import { openDatabase } from '../../server/src/database/database.ts';
import { noArchive } from '../../server/src/testing/no-archive.ts';
import { rebuildRollups } from '../../server/src/features/gameplay/events/index.ts';
import { ACCOUNT_PASSWORD } from '../../server/src/testing/account-client.ts';
import { httpClient } from '../../server/src/testing/http-client.ts';
import type { TestTenant } from '../../server/src/testing/arrange.ts';
import { seedPlayers } from '../../server/benchmarks/players.ts';
import type { ServerProcess } from '../../server/benchmarks/server-process.ts';
import { chainEntries, GENESIS } from '../../server/src/features/wallet/recording/ledger-entry.ts';
import { insertEntries } from '../../server/src/features/wallet/recording/queries.ts';

export interface Sizes {
  players: number;
  events: number;
  definitions: number;
  deliveries: number;
  ledger: number;
}

/** A game with so much data, and the owner of its workspace. */
export interface BigGame {
  tenant: TestTenant;
  webhookId: string;
  email: string;
  password: string;
}

const DAY_MS = 86_400_000;
const DAYS = 30;
const EVENTS_PER_STATEMENT = 500_000;
const LEDGER_STEP = 5_000;

/** Fills the database by SQL, and prints the progress. */
export async function seedBigGame(server: ServerProcess, sizes: Sizes): Promise<BigGame> {
  const { owner } = server;
  const started = performance.now();
  const progress = (what: string): void =>
    console.log(`${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s  ${what}`);

  const { tenant } = await seedPlayers(server, sizes.players);
  await owner.query(`UPDATE tenants SET name = 'Tidewater' WHERE id = $1`, [tenant.tenantId]);
  await owner.query('UPDATE workspaces SET monthly_units = NULL WHERE id = $1', [tenant.workspaceId]);
  progress(`${sizes.players} players, and half as many in another game`);

  await owner.query(
    `INSERT INTO event_definitions (tenant_id, id, event_key, event_value, event_scope)
     SELECT $1, gen_random_uuid(), 'event_' || number / 5, 'variant ' || number % 5, 'both'
     FROM generate_series(1, $2::int) number`,
    [tenant.tenantId, sizes.definitions],
  );
  progress(`${sizes.definitions} definitions`);
  await seedEvents(server, tenant, sizes.events, sizes.definitions, progress);
  const webhookId = await seedDeliveries(server, tenant, sizes.deliveries);
  progress(`${sizes.deliveries} deliveries`);
  await seedLedger(server, tenant, sizes.ledger);
  progress(`${sizes.ledger} entries of the ledger`);
  await owner.query('VACUUM ANALYZE');
  progress('vacuumed');
  return { tenant, webhookId, ...(await signUp(server, tenant)) };
}

/** Player events of the last 30 days, by players of the game. Few definitions have most of the events. Then the roll-ups. */
async function seedEvents(
  server: ServerProcess,
  { tenantId }: TestTenant,
  count: number,
  definitions: number,
  progress: (what: string) => void,
): Promise<void> {
  const { owner } = server;
  for (const ago of [0, DAYS]) await createPartitions(owner, { today: new Date(Date.now() - ago * DAY_MS) });
  await owner.query(
    `CREATE TABLE seed_players AS SELECT player_id, row_number() OVER () AS number FROM tenant_access WHERE tenant_id = '${tenantId}' LIMIT 100000;
     CREATE UNIQUE INDEX ON seed_players (number);
     CREATE TABLE seed_definitions AS
       SELECT id, row_number() OVER () AS number FROM event_definitions WHERE tenant_id = '${tenantId}';
     CREATE UNIQUE INDEX ON seed_definitions (number);
     ANALYZE seed_players, seed_definitions`,
  );
  const insert = (first: number): Promise<unknown> =>
    owner.query(
      `INSERT INTO player_events (occurred_at, created_at_gl, value, tenant_id, id, player_id, event_definitions_id,
                                  idempotency_key, row_hash)
       SELECT now() - (event / $3::float8) * $4 * interval '1 day', now(), event, $1, gen_random_uuid(), player.player_id,
              definition.id, 'event-' || event, '\\x00'
       FROM generate_series($2::int, least($2 + ${EVENTS_PER_STATEMENT}, $3)::int - 1) event
       JOIN seed_players player ON player.number = 1 + event % (SELECT count(*) FROM seed_players)
       JOIN seed_definitions definition ON definition.number = 1 + floor($5::int * ((event::bigint * 7919 % 10000) / 10000.0) ^ 5)::int`,
      [tenantId, first, count, DAYS, definitions],
    );
  const starts = Array.from({ length: Math.ceil(count / EVENTS_PER_STATEMENT) }, (_, step) => step);
  let inserted = 0;
  const work = async (): Promise<void> => {
    for (let step = starts.shift(); step !== undefined; step = starts.shift()) {
      await insert(step * EVENTS_PER_STATEMENT);
      inserted += EVENTS_PER_STATEMENT;
      if (inserted % (4 * EVENTS_PER_STATEMENT) === 0) progress(`${inserted} events`);
    }
  };
  await Promise.all([work(), work()]);
  await owner.query('DROP TABLE seed_players; DROP TABLE seed_definitions');
  progress(`${count} events`);
  const database = openDatabase(server.databaseUrl, { poolSize: 1, work: 'job' });
  await rebuildRollups({ database, archive: noArchive }, tenantId, () => {});
  await database.close();
  progress('roll-ups of the events');
}

async function seedDeliveries(
  { owner }: ServerProcess,
  { workspaceId }: TestTenant,
  count: number,
): Promise<string> {
  const { rows } = await owner.query(
    `INSERT INTO webhooks (id, workspace_id, url, secret)
     VALUES (gen_random_uuid(), $1, 'https://hooks.example.com/guildhall', '') RETURNING id`,
    [workspaceId],
  );
  await owner.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, event_type, body, status, attempts, next_attempt_at, last_status_code)
     SELECT ('01a20000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, $1, 'webhook.test', '{}',
            CASE WHEN number % 10 = 0 THEN 'failed' ELSE 'delivered' END, 1, NULL, CASE WHEN number % 10 = 0 THEN 500 ELSE 200 END
     FROM generate_series(1, $2::int) number`,
    [rows[0].id, count],
  );
  return rows[0].id;
}

/** A chain of scores, with the hashes that the server would give them. */
async function seedLedger(
  { databaseUrl, owner }: ServerProcess,
  { tenantId }: TestTenant,
  count: number,
): Promise<void> {
  const scores = Array.from({ length: count }, (_, score) => ({
    kind: 'player.scored' as const,
    playerIndex: 1 + (score % 1_000),
    body: { score: String(score) },
  }));
  const entries = chainEntries(tenantId, GENESIS, new Date().toISOString().replace('Z', '000Z'), scores);
  const database = openDatabase(databaseUrl, { poolSize: 1 });
  for (let first = 0; first < count; first += LEDGER_STEP) {
    const step = entries.slice(first, first + LEDGER_STEP);
    await insertEntries(
      database.forTenant(tenantId),
      step,
      step.map(({ hash }) => hash),
    );
  }
  await database.close();
  await owner.query(
    `INSERT INTO wallet_ledgers (tenant_id, entries, hash, players) VALUES ($1, $2, decode($3, 'hex'), 1000)`,
    [tenantId, count, (entries.at(-1) ?? GENESIS).hash.slice(2)],
  );
}

async function signUp(
  server: ServerProcess,
  { workspaceId }: TestTenant,
): Promise<{ email: string; password: string }> {
  const account = { email: 'olivia@harbor.example', password: ACCOUNT_PASSWORD };
  const { body, status, text } = await httpClient(server.url).post('/api/saas-auth/signup', account, {});
  if (status !== 201) throw new Error(text);
  await server.owner.query('UPDATE accounts SET email_verified_at = now() WHERE id = $1', [body.user.id]);
  await server.owner.query(
    `INSERT INTO memberships (workspace_id, account_id, role) VALUES ($1, $2, 'owner')`,
    [workspaceId, body.user.id],
  );
  return account;
}
