import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import { arrangeAccount, arrangePlayer, arrangeTenant, type TestTenant } from '../../../testing/arrange.ts';
import { avoidEndOf } from '../../../testing/avoid-end-of.ts';
import { billingOf } from '../../../testing/billing-of.ts';
import { eventually } from '../../../testing/eventually.ts';
import { holdLogins } from '../../../testing/hold-logins.ts';
import type { Answer } from '../../../testing/http-client.ts';
import { loginDataOf } from '../../../testing/ledger-data.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';
import { whileLocked } from '../../../testing/while-locked.ts';
import { verify } from '../../../cli/verify.ts';
import { createLoginBatchers } from './login-batchers.ts';

const app = await startTestApp({ log: () => {} });
const database = openDatabase(app.databaseUrl);
after(() => database.close());
const logins = createLoginBatchers({ database, vault, config: { refreshTokenDays: 30 } });

const deviceOf = (username: string) => ({ deviceInfo: { deviceFingerprint: `fingerprint-of-${username}` } });
const logIn = (
  tenant: TestTenant,
  username: string,
  { secret = 'secret', ...body }: Record<string, unknown> = {},
  http = app.http,
) =>
  http.post(
    '/api/player-auth/login',
    { provider: 'Mock', token: `mock:${username}:${secret}`, ...deviceOf(username), ...body },
    tenant,
  );
const query = async (text: string, ...values: unknown[]) => (await app.owner.query(text, values)).rows;

/** A tenant with players who have signed in once, each with a device. The usernames are in the order of the player ids. */
async function arrangePlayers(count: number) {
  const tenant = await arrangeTenant(app);
  const players = new Map<string, string>();
  for (let first = 0; first < count; first += 20)
    await Promise.all(
      Array.from({ length: Math.min(20, count - first) }, async (_, index) => {
        const username = `player-${first + index}`;
        const login = await logIn(tenant, username);
        assert.equal(login.status, 200, login.text);
        players.set(username, login.body.playerId);
      }),
    );
  const usernames = [...players.keys()].toSorted((a, b) => (players.get(a)! < players.get(b)! ? -1 : 1));
  return { tenant, usernames, idOf: (username: string) => players.get(username)! };
}

/** Runs `work` while logins are held, which `release` ends. */
async function whileHeld(
  step: 'token' | 'device',
  work: (held: { arrival(): Promise<void>; release(): Promise<void> }) => Promise<void>,
): Promise<void> {
  const { arrival, release } = await holdLogins(app, step);
  let released: Promise<void> | undefined;
  const once = () => (released ??= release());
  try {
    await work({ arrival, release: once });
  } finally {
    await once();
  }
}

/** Sends requests while the first one of them is held inside its transaction, so that the others share the next batches. */
async function sendTogether(send: (() => Promise<Answer>)[]): Promise<Answer[]> {
  const answers: Promise<Answer>[] = [];
  await whileHeld('token', async (held) => {
    answers.push(send[0]!());
    await held.arrival();
    answers.push(...send.slice(1).map((request) => request()));
  });
  return Promise.all(answers);
}

const statuses = (answers: Answer[]) => {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const name = status === 200 ? '200' : `${status} ${body.code}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};

const transactionsOf = async (answers: Answer[]): Promise<number> => {
  const ids = answers.flatMap(({ body }) => body.sessionId ?? []);
  const [{ count }] = await query(
    'SELECT count(DISTINCT xmin::text)::int AS count FROM login_sessions WHERE session_id = ANY($1::uuid[])',
    ids,
  );
  return count;
};

const unitsOf = async ({ workspaceId }: TestTenant): Promise<number> => {
  const [{ units }] = await query(
    `SELECT coalesce(sum(units), 0)::int AS units FROM (
       SELECT units FROM usage_entries WHERE workspace_id = $1
       UNION ALL SELECT units FROM usage_totals WHERE workspace_id = $1) used`,
    workspaceId,
  );
  return units;
};

describe('sign-ins of existing players that arrive together', () => {
  test('share transactions, and each is written, hashed and charged as if alone', async () => {
    const { tenant, usernames, idOf } = await arrangePlayers(60);
    const before = await unitsOf(tenant);
    const answers = await sendTogether(
      usernames.map(
        (username, index) => () =>
          logIn(tenant, username, {
            clientInfo: {
              platform: 'PC_Windows',
              clientVersion: `1.${index}`,
              metadata: { '"\\': [index, null, 'ü'] },
            },
            deviceInfo: { ...deviceOf(username).deviceInfo, osVersion: `os "${index}"`, metadata: { index } },
          }),
      ),
    );
    assert.deepEqual(statuses(answers), { 200: 60 });
    const transactions = await transactionsOf(answers);
    assert.ok(transactions < 60, `${transactions} transactions`);
    assert.equal(await unitsOf(tenant), before + 60);
    for (const [index, username] of usernames.entries()) {
      const { playerId, sessionId, isNewPlayer } = answers[index]!.body;
      assert.deepEqual([playerId, isNewPlayer], [idOf(username), false]);
      const [row] = await query(
        `SELECT session.player_id, session.client_version, session.platform, session.device_id = device.id AS has_device,
                ledger.player_id AS ledger_player, ledger.device_id = device.id AS ledger_device,
                ledger.auth_method_id = method.id AS ledger_method, device.os_version, device.metadata AS device_metadata,
                device.login_count AS device_logins, access.login_count AS logins,
                ledger.received_at_db >= session.started_at AS is_received_later,
                method.last_used_at = session.started_at AS is_method_used
         FROM login_sessions session
         JOIN login_ledger ledger USING (session_id)
         JOIN devices device ON device.player_id = session.player_id
         JOIN auth_methods method ON method.player_id = session.player_id
         JOIN tenant_access access ON access.player_id = session.player_id
         WHERE session.session_id = $1`,
        sessionId,
      );
      assert.deepEqual(row, {
        player_id: playerId,
        client_version: `1.${index}`,
        platform: 'PC_Windows',
        has_device: true,
        ledger_player: playerId,
        ledger_device: true,
        ledger_method: true,
        os_version: `os "${index}"`,
        device_metadata: { index },
        device_logins: 2,
        logins: 2,
        is_received_later: true,
        is_method_used: true,
      });
      const { metadata } = await loginDataOf(app, sessionId);
      assert.deepEqual(metadata, { '"\\': [index, null, 'ü'] });
    }
    const altered: unknown[] = [];
    await verify(app.databaseUrl, { tenantId: tenant.tenantId }, (found) => altered.push(found));
    assert.deepEqual(altered, []);
    const refreshed = await Promise.all(
      answers.map(({ body }) =>
        app.http.post('/api/player-auth/refresh', { refreshToken: body.refreshToken }, tenant),
      ),
    );
    assert.deepEqual(statuses(refreshed), { 200: 60 });
  });

  test('fail alone: banned, wrong secret, blocked device, method of another workspace, unknown player', async () => {
    const { tenant, usernames, idOf } = await arrangePlayers(20);
    const [banned, blocked, foreign] = usernames as [string, string, string];
    await query(
      'UPDATE auth_methods SET linked_in_workspace = $1 WHERE player_id = $2',
      (await arrangeTenant(app)).workspaceId,
      idOf(foreign),
    );
    await query('UPDATE tenant_access SET banned_until = $1 WHERE player_id = $2', 'infinity', idOf(banned));
    await query('UPDATE devices SET is_blocked = true WHERE player_id = $1', idOf(blocked));
    const before = await unitsOf(tenant);
    const answers = await sendTogether([
      () => logIn(tenant, usernames[5]!),
      ...usernames.map((username) => () => logIn(tenant, username)),
      () => logIn(tenant, usernames[6]!, { secret: 'wrong' }),
      () => logIn(tenant, 'nobody', { createAccountIfMissing: false }),
      () => logIn(tenant, 'somebody-new'),
      () => logIn(tenant, usernames[7]!, { deviceInfo: { deviceFingerprint: 'another-fingerprint' } }),
    ]);
    assert.deepEqual(statuses(answers), {
      200: 20,
      '403 player_banned': 1,
      '403 device_blocked': 1,
      '403 identity_proof_required': 1,
      '401 invalid_credentials': 1,
      '404 player_not_found': 1,
    });
    assert.equal(answers[1]!.body.code, 'player_banned');
    assert.equal(answers[2]!.body.code, 'device_blocked');
    assert.equal(await unitsOf(tenant), before + 20);
    const written = await query('SELECT FROM login_sessions WHERE player_id = ANY($1::uuid[])', [
      idOf(banned),
      idOf(blocked),
      idOf(foreign),
    ]);
    assert.equal(written.length, 3, 'only their first sign-ins');
  });

  test('notice a ban and a block that come after their batch was read', async () => {
    const { tenant, usernames, idOf } = await arrangePlayers(10);
    const admin = await arrangeAccount(app, tenant, 'admin');
    const [, , banned, blocked] = usernames as [string, string, string, string];
    const billing = await billingOf(app.owner, tenant);
    // The batch locks its players in the order of their ids, and is held at the device of the first one.
    await whileHeld('device', async (held) => {
      const batch = Promise.all(
        usernames.map((username) => {
          const identity = {
            provider: 'Mock' as const,
            issuer: tenant.workspaceId,
            providerUserId: username,
          };
          const request = {
            billing: { ...billing },
            ipAddress: null,
            mode: 'new-or-existing' as const,
            ...deviceOf(username),
          };
          return logins.signInKnown({ identity, request });
        }),
      );
      await held.arrival();
      const ban = await app.http.post(
        `/api/bus_tenants/${tenant.tenantId}/players/${idOf(banned)}/ban`,
        {},
        admin,
      );
      assert.equal(ban.status, 201, ban.text);
      await query('UPDATE devices SET is_blocked = true WHERE player_id = $1', idOf(blocked));
      await held.release();
      const outcomes = await batch;
      for (const [index, username] of usernames.entries()) {
        const isLeftOut = username === banned || username === blocked;
        assert.equal('found' in outcomes[index]!, isLeftOut, username);
        const sessions = await query('SELECT FROM login_sessions WHERE player_id = $1', idOf(username));
        assert.equal(sessions.length, isLeftOut ? 1 : 2, username);
      }
    });
    assert.equal((await logIn(tenant, banned)).body.code, 'player_banned');
    assert.equal((await logIn(tenant, blocked)).body.code, 'device_blocked');
  });

  test('do not wait for a player whom another transaction has locked', async () => {
    const { tenant, usernames, idOf } = await arrangePlayers(100);
    for (const lock of [
      'SELECT FROM players WHERE id = $1 FOR UPDATE',
      'SELECT FROM tenant_access WHERE player_id = $1 FOR UPDATE',
      'SELECT FROM auth_methods WHERE player_id = $1 FOR UPDATE',
      'SELECT FROM devices WHERE player_id = $1 FOR UPDATE',
    ])
      await whileLocked(
        app,
        async (holder) => void (await holder.query(lock, [idOf('player-50')])),
        async (waiting, release) => {
          const locked = logIn(tenant, 'player-50');
          const others = usernames.filter((username) => username !== 'player-50');
          const answers = await Promise.all(others.map((username) => logIn(tenant, username)));
          assert.deepEqual(statuses(answers), { 200: 99 }, lock);
          await waiting(1);
          await release();
          assert.equal((await locked).status, 200);
        },
      );
  });

  test('of a locked player leave connections to other tenants', async () => {
    const [{ tenant, idOf }, other] = [await arrangePlayers(1), await arrangePlayers(1)];
    await whileLocked(
      app,
      async (holder) =>
        void (await holder.query('SELECT FROM players WHERE id = $1 FOR UPDATE', [idOf('player-0')])),
      async (waiting, release) => {
        const held = Array.from({ length: 40 }, () => logIn(tenant, 'player-0'));
        await waiting(1);
        for (let login = 0; login < 3; login++)
          assert.equal((await logIn(other.tenant, 'player-0')).status, 200);
        await release();
        const statuses = (await Promise.all(held)).map(({ status }) => status);
        assert.deepEqual(statuses, Array(40).fill(200));
      },
    );
  });

  test('count every sign-in of one player, even with two identities and from one device', async () => {
    const { tenant, usernames, idOf } = await arrangePlayers(10);
    const [twice] = usernames as [string];
    const other = await arrangePlayer(app, tenant, 'second-identity');
    await query(
      'UPDATE auth_methods SET player_id = $1, is_primary = false WHERE player_id = $2',
      idOf(twice),
      other.playerId,
    );
    const answers = await sendTogether([
      () => logIn(tenant, usernames[5]!),
      ...Array.from({ length: 12 }, () => () => logIn(tenant, twice)),
      ...Array.from({ length: 12 }, () => () => logIn(tenant, 'second-identity', deviceOf(twice))),
      ...usernames.map((username) => () => logIn(tenant, username)),
    ]);
    assert.deepEqual(statuses(answers), { 200: 35 });
    const [counted] = await query(
      `SELECT login_count AS logins, (SELECT login_count FROM devices WHERE player_id = $1) AS device_logins,
              (SELECT count(*)::int FROM login_ledger WHERE player_id = $1) AS ledger
       FROM tenant_access WHERE player_id = $1`,
      idOf(twice),
    );
    assert.deepEqual(counted, { logins: 26, device_logins: 26, ledger: 26 });
    assert.equal(new Set(answers.map(({ body }) => body.sessionId)).size, 35);
    assert.ok((await transactionsOf(answers)) < 35, 'they do not keep the others from sharing a transaction');
  });

  test('stop exactly at the hard stop of the plan', async () => {
    await avoidEndOf('month');
    const { tenant, usernames } = await arrangePlayers(40);
    await query(
      'UPDATE workspaces SET monthly_units = $1, hard_stop = true WHERE id = $2',
      (await unitsOf(tenant)) + 15,
      tenant.workspaceId,
    );
    // The cached plan of the key may be older.
    const answers = await sendTogether(usernames.map((username) => () => logIn(tenant, username)));
    assert.deepEqual(statuses(answers), { 200: 15, '429 quota_exceeded': 25 });
    const sessions = await query('SELECT FROM login_sessions WHERE tenant_id = $1', tenant.tenantId);
    assert.equal(sessions.length, 55);
    assert.equal(await unitsOf(tenant), 55);
  });

  test('fail together if their connection ends, and are not repeated', async () => {
    const { tenant, usernames } = await arrangePlayers(20);
    await whileHeld('token', async (held) => {
      const first = logIn(tenant, usernames[0]!);
      await held.arrival();
      const others = usernames.slice(1).map((username) => logIn(tenant, username));
      const answered = Promise.all([first, ...others]);
      let isAnswered = false;
      void answered.then(() => (isAnswered = true));
      // Each round ends the connection of the batch that is held.
      const ended = new Set<number>();
      await eventually(async () => {
        const rows = await query(
          `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event = 'advisory'`,
        );
        for (const { pid } of rows) ended.add(pid);
        return isAnswered;
      });
      assert.deepEqual(statuses(await answered), { '503 unavailable': 20 });
      assert.ok(ended.size < 20, `${ended.size} transactions`);
    });
    const sessions = await query('SELECT FROM login_sessions WHERE tenant_id = $1', tenant.tenantId);
    assert.equal(sessions.length, 20);
    const answers = await Promise.all(usernames.map((username) => logIn(tenant, username)));
    assert.deepEqual(statuses(answers), { 200: 20 });
  });

  test('stay within their tenant, with one name in two tenants of a workspace', async () => {
    const { tenant, usernames, idOf } = await arrangePlayers(10);
    const neighbour = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const stranger = await arrangeTenant(app, { workspaceId: randomUUID() });
    const answers = await sendTogether([
      ...usernames.map((username) => () => logIn(tenant, username)),
      ...usernames.map((username) => () => logIn(neighbour, username)),
      ...usernames.map((username) => () => logIn(stranger, username)),
    ]);
    assert.deepEqual(statuses(answers), { 200: 30 });
    for (const [index, { body }] of answers.entries()) {
      const username = usernames[index % 10]!;
      const callee = [tenant, neighbour, stranger][Math.floor(index / 10)]!;
      assert.equal(body.tenantId, callee.tenantId);
      assert.equal(body.playerId === idOf(username), callee !== stranger);
      assert.equal(body.isNewPlayer, callee === stranger);
    }
    await eventually(async () => (await unitsOf(stranger)) === 10);
  });
});

describe('first sign-ins that arrive together', () => {
  test('share transactions, and each creates its player as if alone', async () => {
    const tenant = await arrangeTenant(app);
    const names = Array.from({ length: 60 }, (_, index) => `new-${index}`);
    const answers = await sendTogether(
      names.map(
        (username, index) => () =>
          logIn(tenant, username, {
            profileVisibility: 'full',
            clientInfo: { platform: 'PC_Windows', metadata: { index } },
            ...(index % 2 && { deviceInfo: undefined }),
          }),
      ),
    );
    assert.deepEqual(statuses(answers), { 200: 60 });
    assert.ok(answers.every(({ body }) => body.isNewPlayer));
    const transactions = await transactionsOf(answers);
    assert.ok(transactions < 50, `${transactions} transactions`);
    assert.equal(await unitsOf(tenant), 60);
    for (const [index, username] of names.entries()) {
      const { playerId, sessionId } = answers[index]!.body;
      const [row] = await query(
        `SELECT player.display_name, player.profile_visibility, method.provider_user_id, method.is_primary, access.login_count,
                access.search_name, shown.search_id,
                (SELECT device_fingerprint FROM devices WHERE player_id = player.id AND id = session.device_id) AS device
         FROM players player
         JOIN auth_methods method ON method.player_id = player.id
         JOIN tenant_access access ON access.player_id = player.id
         JOIN tenant_sign_in_methods shown ON shown.auth_method_id = method.id
         JOIN login_sessions session ON session.player_id = player.id
         JOIN login_ledger ledger USING (session_id)
         WHERE player.id = $1 AND session.session_id = $2`,
        playerId,
        sessionId,
      );
      assert.deepEqual(row, {
        display_name: username,
        profile_visibility: 'full',
        provider_user_id: username,
        is_primary: true,
        login_count: 1,
        search_name: username,
        search_id: username,
        device: index % 2 ? null : deviceOf(username).deviceInfo.deviceFingerprint,
      });
      assert.deepEqual((await loginDataOf(app, sessionId)).metadata, { index });
    }
    const counts = await query(
      'SELECT auth_provider, sum(players)::int AS players FROM tenant_player_counts WHERE tenant_id = $1 GROUP BY 1 ORDER BY 1',
      tenant.tenantId,
    );
    assert.deepEqual(counts, [
      { auth_provider: '', players: 60 },
      { auth_provider: 'Mock', players: 60 },
    ]);
    const altered: unknown[] = [];
    await verify(app.databaseUrl, { tenantId: tenant.tenantId }, (found) => altered.push(found));
    assert.deepEqual(altered, []);
    const again = await Promise.all(names.map((username) => logIn(tenant, username)));
    assert.ok(again.every(({ body }, index) => body.playerId === answers[index]!.body.playerId));
  });

  test('create one player for each identity, in one process and in two', async () => {
    const tenant = await arrangeTenant(app);
    const second = await startTestApp({ databaseUrl: app.databaseUrl });
    const names = Array.from({ length: 100 }, (_, index) => `twin-${index % 10}`);
    const answers = await Promise.all(
      names.map((username, index) => logIn(tenant, username, {}, index % 3 ? app.http : second.http)),
    );
    assert.deepEqual(statuses(answers), { 200: 100 });
    assert.equal(answers.filter(({ body }) => body.isNewPlayer).length, 10);
    assert.equal(new Set(answers.map(({ body }) => body.playerId)).size, 10);
    const counts = await query('SELECT login_count FROM tenant_access WHERE tenant_id = $1', tenant.tenantId);
    assert.deepEqual(
      counts,
      Array.from({ length: 10 }, () => ({ login_count: 10 })),
    );
    assert.equal(await unitsOf(tenant), 100);
  });

  test('stop exactly at the hard stop of the plan', async () => {
    await avoidEndOf('month');
    const tenant = await arrangeTenant(app);
    await query(
      'UPDATE workspaces SET monthly_units = 15, hard_stop = true WHERE id = $1',
      tenant.workspaceId,
    );
    const names = Array.from({ length: 40 }, (_, index) => `limited-${index}`);
    const answers = await sendTogether(names.map((username) => () => logIn(tenant, username)));
    assert.deepEqual(statuses(answers), { 200: 15, '429 quota_exceeded': 25 });
    const created = await query('SELECT FROM tenant_access WHERE tenant_id = $1', tenant.tenantId);
    assert.equal(created.length, 15);
  });
});
