import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { countCache } from '../core/cache-counts.ts';
import { openChangeFeed, type ChangeFeed } from '../database/change-feed.ts';
import { openDatabase } from '../database/database.ts';
import { createDefinitionResolver } from '../features/gameplay/event-definitions/index.ts';
import { openKeyAuthenticator } from '../features/studio/tenant-keys/index.ts';
import { createActiveTenants, createProviderSettings } from '../features/studio/tenants/index.ts';
import { createMemberships } from '../features/studio/workspaces/index.ts';
import { openUsageMeter } from '../features/traffic/usage/index.ts';
import { createAttemptBudgets } from '../security/attempt-budget.ts';
import { arrangeAccount, arrangeTenant } from '../testing/arrange.ts';
import { eventually } from '../testing/eventually.ts';
import { startTestApp } from '../testing/test-app.ts';
import { vault } from '../testing/test-vault.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
const changes = await openChangeFeed(app.databaseUrl, { info: () => {} });
const silent: ChangeFeed = { on: () => {}, close: async () => {} };
after(async () => {
  await changes.close();
  await database.close();
});

/** Creates a tenant whose plan has a hard stop, and an account that is admin of its workspace. */
async function arrange() {
  const tenant = await arrangeTenant(app);
  await app.owner.query('UPDATE workspaces SET monthly_units = 1000, hard_stop = true WHERE id = $1', [
    tenant.workspaceId,
  ]);
  await app.owner.query('UPDATE tenants SET is_demo = true WHERE id = $1', [tenant.tenantId]);
  const { accountId } = await arrangeAccount(app, tenant, 'admin');
  return { ...tenant, accountId };
}
type Scene = Awaited<ReturnType<typeof arrange>>;

/** Opens every cache of rows that an account can change. Returns a function that reads what they know about a tenant. */
function openCaches(feed: ChangeFeed) {
  const keys = openKeyAuthenticator(database, vault, feed, createAttemptBudgets());
  const memberships = createMemberships(database, feed);
  const definitions = createDefinitionResolver(database, feed);
  const isActiveTenant = createActiveTenants(database, feed);
  const providerSettings = createProviderSettings(database, feed, vault, { mockProvider: false });
  const meter = openUsageMeter({ database, changes: feed, logger: { warn() {} } });
  return {
    async read({ tenantId, workspaceId, accountId, gameKey, apiKey }: Scene) {
      return {
        game: await keys.authenticate('game', gameKey, null),
        api: await keys.authenticate('api', apiKey, null),
        roleInTenant: await memberships.role(accountId, { tenantId }),
        roleInWorkspace: await memberships.role(accountId, { workspaceId }),
        autoCreate: await definitions.isAutoCreateOn(tenantId),
        isActive: await isActiveTenant(tenantId),
        mock: await providerSettings.require(tenantId, 'Mock').catch(() => 'not available'),
        limit: (await meter.quota(workspaceId))?.limit,
      };
    },
    async close() {
      await keys.close();
      await meter.close();
    },
  };
}

const cached = openCaches(changes);
after(() => cached.close());

async function readUncached(scene: Scene) {
  const caches = openCaches(silent);
  try {
    return await caches.read(scene);
  } finally {
    await caches.close();
  }
}

/** The tables that the caches read, with the condition that selects the rows of a scene. */
const tables = {
  workspaces: 'id = $1',
  tenants: 'workspace_id = $1',
  tenant_keys: 'tenant_id IN (SELECT id FROM tenants WHERE workspace_id = $1)',
  provider_settings: 'tenant_id IN (SELECT id FROM tenants WHERE workspace_id = $1)',
  memberships: 'workspace_id = $1',
};

/** Assignments that change a column of a type. */
const byType: Record<string, (column: string) => string> = {
  boolean: (column) => `${column} = NOT ${column}`,
  integer: (column) => `${column} = coalesce(${column}, 1) + 1`,
  bigint: (column) => `${column} = coalesce(${column}, 1) + 1`,
  text: (column) => `${column} = ${column} || '-2'`,
  'timestamp with time zone': (column) => `${column} = coalesce(${column}, now()) + interval '1 hour'`,
  jsonb: (column) => `${column} = '{"a": 1}'`,
  bytea: (column) => `${column} = '\\x00'`,
};

/** Assignments of columns that constraints bind. Undefined if the column identifies a row, and no statement changes it. */
const byColumn: Record<string, string | undefined> = {
  'workspaces.id': undefined,
  'tenants.id': undefined,
  'tenants.workspace_id': `workspace_id = (SELECT id FROM workspaces WHERE id <> $1 LIMIT 1)`,
  'tenant_keys.id': undefined,
  'tenant_keys.tenant_id': undefined,
  'tenant_keys.kind': undefined,
  'tenant_keys.fingerprint': undefined,
  'tenant_keys.successor_id': 'successor_id = id',
  'tenant_keys.subscriber_workspace_id': `
    subscriber_workspace_id = (SELECT id FROM workspaces WHERE id <> $1 LIMIT 1),
    subscriber_agreement_id = tenant_keys.id, subscriber_agreed_by = (SELECT id FROM accounts LIMIT 1), subscriber_agreed_at = now()`,
  // They change together with subscriber_workspace_id.
  'tenant_keys.subscriber_agreement_id': undefined,
  'tenant_keys.subscriber_agreed_by': undefined,
  'tenant_keys.subscriber_agreed_at': undefined,
  'provider_settings.tenant_id': undefined,
  'provider_settings.provider': undefined,
  'memberships.workspace_id': undefined,
  'memberships.account_id': undefined,
  'memberships.role': `role = 'viewer'`,
};

/** The columns whose change is visible in a cache. */
const CACHED_COLUMNS = [
  'memberships.role',
  'provider_settings.enabled',
  'provider_settings.secrets',
  'provider_settings.settings',
  'tenant_keys.alert_bytes_per_minute',
  'tenant_keys.alert_requests_per_minute',
  'tenant_keys.allow_data_api',
  'tenant_keys.expires_at',
  'tenant_keys.requests_per_hour',
  'tenant_keys.requests_per_minute',
  'tenant_keys.require_player_token',
  'tenant_keys.revoked_at',
  'tenant_keys.subscriber_workspace_id',
  'tenants.alert_bytes_per_minute',
  'tenants.alert_requests_per_minute',
  'tenants.auto_create_definitions',
  'tenants.disabled_at',
  'tenants.is_demo',
  'tenants.workspace_id',
  'workspaces.hard_stop',
  'workspaces.max_match_event_records_per_request',
  'workspaces.max_player_event_records_per_request',
  'workspaces.monthly_units',
  'workspaces.requests_per_hour',
  'workspaces.requests_per_minute',
];

describe('the caches', () => {
  test('are invalidated by a change of each column that they read', async () => {
    await arrange();
    const visible: string[] = [];
    for (const [table, ofScene] of Object.entries(tables)) {
      const { rows } = await app.owner.query(
        `SELECT column_name AS column, data_type AS type FROM information_schema.columns
         WHERE table_name = $1 AND is_generated = 'NEVER' ORDER BY column_name`,
        [table],
      );
      assert.ok(rows.length > 0, table);
      for (const { column, type } of rows) {
        const name = `${table}.${column}`;
        const assignment = name in byColumn ? byColumn[name] : byType[type]!(column);
        if (!assignment) continue;
        const scene = await arrange();
        const before = await readUncached(scene);
        await eventually(async () => isDeepStrictEqual(await cached.read(scene), before));
        await app.owner.query(`UPDATE ${table} SET ${assignment} WHERE ${ofScene}`, [scene.workspaceId]);
        const now = await readUncached(scene);
        await eventually(async () => isDeepStrictEqual(await cached.read(scene), now), name);
        if (!isDeepStrictEqual(before, now)) visible.push(name);
      }
    }
    assert.deepEqual(visible.toSorted(), CACHED_COLUMNS);
  });

  test('are invalidated by a change of the plan of the workspace that pays for a key', async () => {
    const [scene, payer] = [await arrange(), await arrange()];
    await app.owner.query(
      `UPDATE tenant_keys SET subscriber_workspace_id = $2, subscriber_agreement_id = id, subscriber_agreed_by = $3,
         subscriber_agreed_at = now()
       WHERE tenant_id = $1`,
      [scene.tenantId, payer.workspaceId, payer.accountId],
    );
    const hasHardStop = async () => (await cached.read(scene)).api?.payerHasHardStop;
    await eventually(async () => (await cached.read(scene)).api?.payerId === payer.workspaceId);
    assert.equal(await hasHardStop(), true);
    await app.owner.query('UPDATE workspaces SET hard_stop = false WHERE id = $1', [payer.workspaceId]);
    await eventually(async () => (await hasHardStop()) === false);
  });

  test('are invalidated by the end of a membership and the deletion of a key', async () => {
    const scene = await arrange();
    const { roleInTenant, api } = await cached.read(scene);
    assert.deepEqual([roleInTenant, api?.keyId !== undefined], ['admin', true]);
    await app.owner.query('DELETE FROM memberships WHERE account_id = $1', [scene.accountId]);
    await app.owner.query('DELETE FROM tenant_keys WHERE tenant_id = $1', [scene.tenantId]);
    await eventually(async () => {
      const known = await cached.read(scene);
      return known.roleInTenant === undefined && known.api === undefined;
    });
  });
});

describe('the change feed', () => {
  test('reports neither new rows nor changes of columns that no cache reads', async () => {
    const scene = await arrange();
    const last = await arrange();
    const notified: (string | undefined)[] = [];
    const feed = await openChangeFeed(app.databaseUrl, { info: () => {} });
    for (const table of ['workspaces', 'tenants', 'tenant_keys', 'memberships'] as const)
      feed.on(table, (id) => notified.push(id));
    await app.owner.query(`UPDATE workspaces SET name = 'x', slug = slug || '-2', plan = 'x' WHERE id = $1`, [
      scene.workspaceId,
    ]);
    await app.owner.query(
      `UPDATE tenants SET name = 'x', slug = slug || '-2', hidden_from_discovery = true, disabled_at = disabled_at
       WHERE id = $1`,
      [scene.tenantId],
    );
    await app.owner.query(`UPDATE tenant_keys SET name = 'x', last_used_at = now() WHERE tenant_id = $1`, [
      scene.tenantId,
    ]);
    await arrange();
    await app.owner.query('UPDATE tenants SET disabled_at = now() WHERE id = $1', [last.tenantId]);
    await eventually(() => notified.includes(last.tenantId));
    await feed.close();
    // The other two are of the new scene: its plan, and `is_demo`.
    assert.equal(notified.length, 3, notified.join(', '));
    assert.ok(!notified.includes(scene.workspaceId) && !notified.includes(scene.tenantId));
  });
});

describe('an account that changes its own workspace', () => {
  test('does not invalidate the cached rows of others', async () => {
    const [noisy, quiet] = [await arrangeTenant(app), await arrangeTenant(app)];
    const owner = await arrangeAccount(app, noisy, 'owner');
    const other = await arrangeAccount(app, quiet, 'viewer');
    const useKey = ({ gameKey }: { gameKey: string }) =>
      app.http.post(
        '/api/player-auth/players/exists',
        { provider: 'Mock', providerUserId: 'x' },
        { gameKey },
      );
    const useQuiet = async () => {
      assert.equal((await useKey(quiet)).status, 404);
      assert.equal((await app.http.get(`/api/bus_tenants/${quiet.tenantId}`, other)).status, 200);
    };
    const misses = () =>
      Object.fromEntries(
        ['keys', 'roles', 'provider_settings'].map((name) => [name, countCache(name).misses]),
      );
    await useQuiet();
    assert.equal((await useKey(noisy)).status, 404);

    const workspace = `/api/workspaces/${noisy.workspaceId}`;
    const at = `/api/bus_tenants/${noisy.tenantId}`;
    const name = () => `Studio ${randomBytes(4).toString('hex')}`;
    const answers = [
      await app.http.patch(workspace, { name: name() }, owner),
      await app.http.patch(at, { name: name() }, owner),
    ];
    await useKey(noisy);
    const before = misses();
    await useKey(noisy);
    assert.deepEqual(misses(), before, 'a new name does not invalidate the own keys either');

    const created = await app.http.post(`${at}/game-keys`, { name: 'x' }, owner);
    answers.push(
      created,
      await app.http.patch(`${at}/game-keys/${created.body.id}`, { name: 'y' }, owner),
      await app.http.delete(`${at}/game-keys/${created.body.id}`, owner),
      await app.http.patch(`${at}/alert-settings`, { rateLimitPerMinute: 5 }, owner),
      await app.http.put(`${at}/providers/Mock`, { enabled: true }, owner),
      await app.http.patch(`${at}/event-definitions/settings`, { autoCreate: true }, owner),
      await app.http.post(`${workspace}/bus_tenants`, { name: name() }, owner),
      await app.http.post('/api/workspaces', { name: name() }, owner),
      await app.http.patch(at, { isActive: false }, owner),
    );
    for (const { status, text } of answers) assert.ok(status < 300, text);
    assert.equal((await useKey(noisy)).status, 401);
    // Notifications arrive in order. When this one has arrived, the others have too.
    await app.owner.query('UPDATE tenants SET disabled_at = NULL WHERE id = $1', [noisy.tenantId]);
    await eventually(async () => (await useKey(noisy)).status === 404);

    const known = misses();
    await useQuiet();
    assert.deepEqual(misses(), known);
  });
});
