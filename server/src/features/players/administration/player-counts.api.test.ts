import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { openDatabase } from '../../../database/database.ts';
import { arrangeAccount, arrangePlayer, arrangeTenant, type TestTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { checkPlayerCounts, correctPlayerCounts } from './player-counts.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl);
after(() => database.close());

const PROVIDERS = ['Mock', 'StoreB'];
const count = async (tenant: TestTenant, query: Record<string, string>) => {
  const viewer = await arrangeAccount(app, tenant, 'viewer');
  const path = `/api/bus_tenants/${tenant.tenantId}/players?${new URLSearchParams(query)}`;
  return (await app.http.get(path, viewer)).body.totalCount as number;
};

interface Step {
  kind: 'signIn' | 'link' | 'use' | 'unlink' | 'merge' | 'delete';
  tenant: number;
  player: number;
  other: number;
}

const step = fc.record<Step>({
  kind: fc.constantFrom('signIn', 'signIn', 'link', 'use', 'use', 'unlink', 'merge', 'delete'),
  tenant: fc.integer({ min: 0, max: 1 }),
  player: fc.integer({ min: 0, max: 3 }),
  other: fc.integer({ min: 0, max: 3 }),
});

/** Two tenants of one workspace, and their players. The names are unique to this game. */
async function arrangeGame(name: string) {
  const first = await arrangeTenant(app);
  const tenants = [first, await arrangeTenant(app, { workspaceId: first.workspaceId })];
  const tokenOf = (username: string) => `mock:${name}-${username}:secret`;
  const signIn = async (tenant: number, username: string) =>
    app.http.post('/api/player-auth/login', { provider: 'Mock', token: tokenOf(username) }, tenants[tenant]);

  /** Uses a method of another provider, which has no server here, as a sign-in does: under the lock of the player. */
  const use = async (tenantId: string, playerId: string, userId: string) => {
    const client = await app.owner.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM players WHERE id = $1 FOR NO KEY UPDATE', [playerId]);
      await client.query(
        `INSERT INTO auth_methods (id, player_id, auth_provider, provider_user_id, linked_at)
         SELECT gen_random_uuid(), id, 'StoreB', $2, now() FROM players WHERE id = $1 AND is_active ON CONFLICT DO NOTHING`,
        [playerId, userId],
      );
      await client.query(
        `INSERT INTO tenant_sign_in_methods
         SELECT $1, id, player_id, auth_provider, provider_user_id, NULL, now() FROM auth_methods
         WHERE provider_user_id = $2 AND player_id = $3 ON CONFLICT DO NOTHING`,
        [tenantId, userId, playerId],
      );
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  };

  return {
    tenants,
    async run({ kind, tenant, player, other }: Step): Promise<void> {
      const answer = await signIn(tenant, String(player));
      const { accessToken: bearer, playerId } = answer.body;
      if (bearer === undefined || kind === 'signIn') return;
      const me = '/api/player-profile/me';
      const requests = {
        link: async () => {
          const body = { provider: 'Mock', token: tokenOf(`${player} alias ${other}`) };
          await app.http.post(`${me}/auth-methods`, body, { bearer });
          await signIn(1 - tenant, `${player} alias ${other}`);
        },
        use: () => use(tenants[tenant]!.tenantId, playerId, `${name}-${other}`),
        unlink: async () => {
          const { authMethods = [] } = (await app.http.get(me, { bearer })).body;
          const { id } = authMethods[other % (authMethods.length || 1)] ?? {};
          await app.http.delete(`${me}/auth-methods/${id}`, { bearer });
        },
        merge: async () => {
          const source = (await signIn(tenant, String(other))).body.playerId;
          const body = {
            sourceProfileId: source,
            sourceProvider: 'Mock',
            sourceAuthToken: tokenOf(String(other)),
          };
          await app.http.post(`${me}/merge`, body, { bearer });
        },
        delete: () => app.http.delete(me, { bearer }),
      };
      await requests[kind]();
    },
  };
}

describe('the counts of players', () => {
  test('equal the stored rows after any changes at the same time', async () => {
    let games = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 8 }),
        async (rounds) => {
          const { tenants, run } = await arrangeGame(`game-${games++}`);
          for (const steps of rounds) {
            await Promise.all(steps.map(run));
            for (const { tenantId } of tenants)
              assert.deepEqual(await checkPlayerCounts(database, tenantId), []);
          }
        },
      ),
      { numRuns: 8, endOnFailure: true },
    );
  });

  test('count a player with several methods of a provider once, even if both are first used at the same time', async () => {
    const tenant = await arrangeTenant(app);
    const elsewhere = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    for (let player = 1; player <= 10; player++) {
      const { accessToken, username } = await arrangePlayer(app, elsewhere);
      const second = { provider: 'Mock', token: `mock:${username} again:secret` };
      const linked = await app.http.post('/api/player-profile/me/auth-methods', second, {
        bearer: accessToken,
      });
      assert.equal(linked.status, 201, linked.text);
      const answers = await Promise.all(
        [{ provider: 'Mock', token: `mock:${username}:secret` }, second].map((body) =>
          app.http.post('/api/player-auth/login', body, tenant),
        ),
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      );
    }
    assert.equal(await count(tenant, { authProvider: 'Mock' }), 10);
    assert.equal(await count(tenant, {}), 10);
    const { rows } = await app.owner.query('SELECT FROM tenant_sign_in_methods WHERE tenant_id = $1', [
      tenant.tenantId,
    ]);
    assert.equal(rows.length, 20);
  });

  test('are named if they differ from the rows, and corrected', async () => {
    const tenant = await arrangeTenant(app);
    const { tenantId } = tenant;
    for (let player = 0; player < 3; player++) await arrangePlayer(app, tenant);
    await app.owner.query(
      `UPDATE tenant_player_counts SET players = players + CASE auth_provider WHEN '' THEN 5 ELSE -1 END WHERE tenant_id = $1
       AND shard = (SELECT min(shard) FROM tenant_player_counts WHERE tenant_id = $1)`,
      [tenantId],
    );
    await app.owner.query(
      `INSERT INTO tenant_player_counts (tenant_id, auth_provider, players) VALUES ($1, 'StoreB', 2)`,
      [tenantId],
    );
    assert.deepEqual(await checkPlayerCounts(database, tenantId), [
      { authProvider: '', players: 3, counted: 8 },
      { authProvider: 'Mock', players: 3, counted: 2 },
      { authProvider: 'StoreB', players: 0, counted: 2 },
    ]);
    await correctPlayerCounts(database, tenantId);
    assert.deepEqual(await checkPlayerCounts(database, tenantId), []);
    for (const authProvider of PROVIDERS)
      assert.equal(await count(tenant, { authProvider }), authProvider === 'Mock' ? 3 : 0);
  });
});
