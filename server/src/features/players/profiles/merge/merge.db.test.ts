import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { openDatabase, type Database, type Querier, type Scope } from '../../../../database/database.ts';
import { sql } from '../../../../database/sql.ts';
import { openJobs } from '../../../../jobs/queue.ts';
import { createVault } from '../../../../security/vault.ts';
import { cloneTestDatabase } from '../../../../testing/databases.ts';
import type { AvatarStore } from '../avatars/avatar-store.ts';
import { mergeProfiles, type MergeServices } from './merge-profiles.ts';

const clone = await cloneTestDatabase();
const owner = new pg.Pool({ connectionString: clone.url, max: 1 });
const database = openDatabase(clone.url, { poolSize: 2 });
const jobs = await openJobs(database);
after(async () => {
  await jobs.close();
  await database.close();
  await owner.end();
  await clone.drop();
});

const [workspaceId, tenantId] = [randomUUID(), randomUUID()];
const [onlyTarget, onlySource] = [randomUUID(), randomUUID()];
const at = '2026-01-01T00:00:00Z';
await owner.query(`INSERT INTO workspaces (id, name, slug) VALUES ($1, 'w', 'w')`, [workspaceId]);
for (const [id, slug] of [
  [tenantId, 'a'],
  [onlyTarget, 'b'],
  [onlySource, 'c'],
])
  await owner.query('INSERT INTO tenants (id, workspace_id, name, slug) VALUES ($1, $2, $3, $3)', [
    id,
    workspaceId,
    slug,
  ]);

/** A player with at least one row in every table that a merge changes. */
async function arrangeProfile(ownTenant: string, username: string): Promise<string> {
  const [id, device, shared] = [randomUUID(), randomUUID(), randomUUID()];
  await owner.query(
    `INSERT INTO players (id, display_name, email, created_at) VALUES ($1, $2, $2 || '@example.com', $3)`,
    [id, username, at],
  );
  await owner.query(
    `INSERT INTO auth_methods (id, player_id, auth_provider, provider_user_id, is_primary, linked_at)
     VALUES (gen_random_uuid(), $1, 'StoreA', $2, true, $3), (gen_random_uuid(), $1, 'StoreB', $2, false, $3)`,
    [id, username, at],
  );
  await owner.query(
    `INSERT INTO devices (id, player_id, device_fingerprint, platform, is_blocked, first_seen_at, last_seen_at,
                          created_at_gl, updated_at_gl)
     VALUES ($1, $3, $4, 'Other', false, $6, $6, $6, $6), ($2, $3, $5, 'Other', true, $6, $6, $6, $6)`,
    [device, shared, id, `${username} alone`, `shared ${username.slice(0, 4)}`, at],
  );
  for (const tenant of [tenantId, ownTenant]) {
    const session = randomUUID();
    await owner.query(
      'INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at) VALUES ($1, $2, $3, $3)',
      [tenant, id, at],
    );
    await owner.query(
      `INSERT INTO login_sessions (tenant_id, session_id, player_id, started_at, last_seen_at, auth_provider, device_id, platform)
       VALUES ($1, $2, $3, $4, $4, 'store_a', $5, 'Other')`,
      [tenant, session, id, at, shared],
    );
    await owner.query(
      `INSERT INTO third_party_refresh_tokens (tenant_id, token_hash, family_id, session_id, player_id, audience, display_name, expires_at)
       VALUES ($1, $2, gen_random_uuid(), $3, $4, 'site', $5, now() + interval '1 day')`,
      [tenant, Buffer.from(session), session, id, username],
    );
  }
  await owner.query(
    'INSERT INTO player_bans (tenant_id, id, player_id, banned_by) VALUES ($1, gen_random_uuid(), $2, $3)',
    [tenantId, id, randomUUID()],
  );
  await owner.query(
    `INSERT INTO player_notes (tenant_id, player_id, id, text, author_id)
     VALUES ($1, $2, gen_random_uuid(), 'x', gen_random_uuid())`,
    [tenantId, id],
  );
  await owner.query(
    'INSERT INTO email_credentials (email, player_id, verified_at, mails_since, mails_sent) VALUES ($1, $2, $3, $3, 1)',
    [`${username}@example.com`, id, at],
  );
  await owner.query(
    `INSERT INTO email_tokens (tenant_id, token_hash, purpose, email, player_id, expires_at)
     VALUES ($1, $2, 'reset', $3, $4, now() + interval '1 day')`,
    [tenantId, Buffer.from(username), `${username}@example.com`, id],
  );
  await owner.query('INSERT INTO portal_sessions (id, player_id) VALUES (gen_random_uuid(), $1)', [id]);
  return id;
}

let pairs = 0;
/** Two profiles of one person. A third profile was merged into the source before. */
async function arrangePair() {
  const name = `p${1000 + pairs++}`.slice(-4);
  const targetId = await arrangeProfile(onlyTarget, `${name} target`);
  const sourceId = await arrangeProfile(onlySource, `${name} source`);
  await owner.query(
    'INSERT INTO players (id, is_active, merged_into_id, created_at) VALUES ($1, false, $2, $3)',
    [randomUUID(), sourceId, at],
  );
  return { targetId, sourceId, accountId: `${name} source` };
}
type Pair = Awaited<ReturnType<typeof arrangePair>>;

const tables = [
  'players',
  'auth_methods',
  'devices',
  'tenant_access',
  'tenant_merged_profiles',
  'login_sessions',
  'logout_ledger',
  'third_party_refresh_tokens',
  'portal_sessions',
  'player_bans',
  'player_notes',
  'email_credentials',
  'email_tokens',
  'pgboss.job',
];

/** All rows of the tables that a merge changes. */
async function readAllRows(): Promise<Record<string, unknown>> {
  const state: Record<string, unknown> = {};
  for (const table of tables)
    state[table] = (await owner.query(`SELECT to_jsonb(t)::text AS row FROM ${table} t ORDER BY 1`)).rows;
  return state;
}

/** Runs a merge through `db`, with a provider that accepts every token. */
function mergeThrough(db: Database, { targetId, sourceId, accountId }: Pair) {
  const services = {
    database: db,
    avatars: {} as AvatarStore,
    config: { profileProof: true },
    vault: createVault(randomBytes(32)),
    jobs,
    verifyToken: async () => ({ provider: 'StoreA' as const, issuer: '', providerUserId: accountId }),
  } as unknown as MergeServices;
  return mergeProfiles(
    services,
    {
      playerId: targetId,
      tenantId,
      sessionId: randomUUID(),
      expiresAtMs: Infinity,
      ipAddress: null,
      origin: { ip: null, id: 'test' },
    },
    { sourceId, credential: { provider: 'StoreA', token: 'ticket' } },
    () => {},
  );
}

/**
 * Wraps the database so that the connection of the merge is killed before one of its steps. The steps are its statements and, as the
 * last one, COMMIT. Without `isTransaction`, each statement commits on its own.
 */
function killAtStep(fatalStep: number, { isTransaction = true } = {}) {
  let transactions = 0;
  let steps = 0;
  const killIfDue = async (db: Querier): Promise<void> => {
    if (++steps !== fatalStep) return;
    if (!isTransaction) throw new Error('killed');
    const { pid } = await db.one<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
    await owner.query('SELECT pg_terminate_backend($1::int)', [pid]);
  };
  const wrap = (db: Querier): Querier => ({
    rows: async (statement) => (await killIfDue(db), db.rows(statement)),
    row: async (statement) => (await killIfDue(db), db.row(statement)),
    one: async (statement) => (await killIfDue(db), db.one(statement)),
    exists: async (statement) => (await killIfDue(db), db.exists(statement)),
    count: async (statement) => (await killIfDue(db), db.count(statement)),
    run: async (statement) => (await killIfDue(db), db.run(statement)),
    changes: async (statement) => (await killIfDue(db), db.changes(statement)),
  });
  const scopeOf = (scope: Scope): Scope => ({
    ...scope,
    async transaction(work) {
      // The first transaction checks the caller. The second one is the merge.
      if (++transactions !== 2) return scope.transaction(work);
      if (!isTransaction) return work(wrap(scope));
      return scope.transaction(async (transaction) => {
        const result = await work(wrap(transaction));
        await killIfDue(transaction);
        return result;
      });
    },
  });
  const db: Database = { ...database, forPlayer: (playerId) => scopeOf(database.forPlayer(playerId)) };
  return { db, steps: () => steps };
}

/** The numbers of rows after a merge. */
async function summary({ targetId, sourceId }: Pair) {
  const { rows } = await owner.query(
    `SELECT (SELECT count(*) FROM auth_methods WHERE player_id = $1) + (SELECT count(*) FROM devices WHERE player_id = $1)
          + (SELECT count(*) FROM tenant_access WHERE player_id = $1)
          + (SELECT count(*) FROM player_bans WHERE player_id = $1)
          + (SELECT count(*) FROM player_notes WHERE player_id = $1)
          + (SELECT count(*) FROM email_credentials WHERE player_id = $1)
          + (SELECT count(*) FROM email_tokens WHERE player_id = $1) AS "sourceRows",
            (SELECT count(*) FROM login_sessions WHERE player_id = $1 AND tokens_revoked_at IS NULL)
          + (SELECT count(*) FROM portal_sessions WHERE player_id = $1 AND revoked_at IS NULL)
          + (SELECT count(*) FROM third_party_refresh_tokens WHERE player_id = $1
               AND (revoked_at IS NULL OR display_name IS NOT NULL)) AS "validSessions",
            (SELECT count(*) FROM auth_methods WHERE player_id = $2) AS methods,
            (SELECT count(*) FROM auth_methods WHERE player_id = $2 AND is_primary) AS primaries,
            (SELECT count(*) FROM devices WHERE player_id = $2) AS devices,
            (SELECT count(*) FROM tenant_access WHERE player_id = $2) AS games,
            (SELECT count(*) FROM player_bans WHERE player_id = $2) AS bans,
            (SELECT count(*) FROM email_credentials WHERE player_id = $2) AS addresses,
            (SELECT count(*) FROM players WHERE merged_into_id = $2 AND NOT is_active) AS absorbed,
            (SELECT count(*) FROM pgboss.job
             WHERE name = 'player-change' AND data->'event'->'data'->>'mergedPlayerId' = $1::text) AS changes`,
    [sourceId, targetId],
  );
  return Object.fromEntries(Object.entries(rows[0]).map(([name, count]) => [name, Number(count)]));
}

describe('mergeProfiles', () => {
  test('changes nothing when the connection fails at any statement, and can be repeated', async () => {
    const dryRun = killAtStep(0);
    await mergeThrough(dryRun.db, await arrangePair());
    assert.ok(dryRun.steps() > 15, 'the steps are counted');

    const pair = await arrangePair();
    const before = await readAllRows();
    for (let step = 1; step <= dryRun.steps(); step++) {
      await assert.rejects(mergeThrough(killAtStep(step).db, pair), `at step ${step}`);
      assert.deepEqual(await readAllRows(), before, `at step ${step}`);
    }
    await mergeThrough(database, pair);
    assert.deepEqual(await summary(pair), {
      sourceRows: 0,
      validSessions: 0,
      methods: 4,
      primaries: 1,
      devices: 3,
      games: 3,
      bans: 2,
      addresses: 2,
      absorbed: 2,
      changes: 1,
    });
  });

  test('leaves changes after a failure without a transaction, so the test above can fail', async () => {
    const pair = await arrangePair();
    const before = await readAllRows();
    await assert.rejects(mergeThrough(killAtStep(12, { isTransaction: false }).db, pair), /killed/);
    assert.notDeepEqual(await readAllRows(), before);
  });
});
