import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  arrangeAccount,
  arrangePlayer,
  arrangePlatformAdmin,
  arrangeStoreAPlayer,
  arrangeTenant,
} from '../../../testing/arrange.ts';
import type { Answer } from '../../../testing/http-client.ts';
import { someNetwork } from '../../../testing/email-player.ts';
import { startStoreAOpenId } from '../../../testing/providers/store-a-openid.ts';
import { partOf } from '../../../testing/forgeries.ts';
import { someEmail } from '../../../testing/mailbox.ts';
import { later, raceInEachOrder } from '../../../testing/race.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';
import { whileLocked } from '../../../testing/while-locked.ts';

// The same rule applies to four kinds of refresh tokens. Each is tested through its own endpoint.

const store = await startStoreAOpenId();
const app = await startTestApp({
  env: { TRUST_PROXY: 'on', STORE_A_OPENID_URL: store.url, PORTAL_URL: 'https://portal.example' },
});
const tenant = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');
const platformAdmin = await arrangePlatformAdmin(app);
const AUDIENCE = 'https://shop.example';

/** A session with a refresh token to exchange. */
interface Holder {
  token: string;
  playerId?: string;
  sessionId?: string;
}

interface Flow {
  /** The table of the tokens. */
  table: string;
  arrange(): Promise<Holder>;
  refresh(token: string, headers: Record<string, string>): Promise<Answer>;
  /** The access token or the assertion of a response. */
  signed(answer: Answer): string;
  /** The operations that end a session. */
  ends: Record<string, (holder: Holder) => Promise<Answer>>;
  reuse: string;
}

const ban = ({ playerId }: Holder) =>
  app.http.post(`/api/bus_tenants/${tenant.tenantId}/players/${playerId}/ban`, {}, admin);
const erase = ({ playerId }: Holder) => app.http.delete(`/api/admin/players/${playerId}`, platformAdmin);
const logOut = ({ sessionId }: Holder) =>
  app.http.post('/api/player-auth/logout', { sessionId }, { gameKey: tenant.gameKey });
const exchange = (bearer: string, headers: Record<string, string>, more: object = {}) =>
  app.http.post(
    '/api/player-auth/jwt/exchange',
    { audience: AUDIENCE, ...more },
    { gameKey: tenant.gameKey, bearer, headers },
  );

const flows: Record<string, Flow> = {
  '/api/player-auth/refresh': {
    table: 'refresh_tokens',
    async arrange() {
      const { refreshToken: token, playerId, sessionId } = await arrangePlayer(app, tenant);
      return { token, playerId, sessionId };
    },
    refresh: (refreshToken, headers) =>
      app.http.post('/api/player-auth/refresh', { refreshToken }, { gameKey: tenant.gameKey, headers }),
    signed: ({ body }) => body.accessToken,
    ends: { logout: logOut, ban, deletion: erase },
    reuse: 'refresh_token.reused',
  },
  '/api/player-portal-auth/refresh': {
    table: 'portal_refresh_tokens',
    async arrange() {
      const { accountId } = await arrangeStoreAPlayer(app);
      const network = { headers: { 'x-forwarded-for': someNetwork() } };
      const { authUrl } = (await app.http.post('/api/player-portal-auth/storea/start', undefined, network))
        .body;
      const callbackUrl = await store.browse(authUrl, accountId);
      const { body } = await app.http.post('/api/player-portal-auth/storea/exchange', { callbackUrl });
      return {
        token: body.refreshToken,
        playerId: body.playerId,
        sessionId: partOf(body.accessToken, 1).sid,
      };
    },
    refresh: (refreshToken, headers) =>
      app.http.post('/api/player-portal-auth/refresh', { refreshToken }, { headers }),
    signed: ({ body }) => body.accessToken,
    ends: {
      logout: ({ token }) => app.http.post('/api/player-portal-auth/logout', { refreshToken: token }),
      deletion: erase,
    },
    reuse: 'refresh_token.reused',
  },
  '/api/saas-auth/refresh': {
    table: 'account_refresh_tokens',
    async arrange() {
      const signUp = { email: someEmail(), password: 'a long password' };
      const { body } = await app.http.post('/api/saas-auth/signup', signUp);
      return { token: body.refreshToken, sessionId: partOf(body.accessToken, 1).sid };
    },
    refresh: (refreshToken, headers) =>
      app.http.post('/api/saas-auth/refresh', { refreshToken }, { headers }),
    signed: ({ body }) => body.accessToken,
    ends: { logout: ({ token }) => app.http.post('/api/saas-auth/logout', { refreshToken: token }) },
    reuse: 'refresh_token.reused',
  },
  '/api/player-auth/jwt/exchange': {
    table: 'third_party_refresh_tokens',
    async arrange() {
      const { accessToken, playerId, sessionId } = await arrangePlayer(app, tenant);
      const { body } = await exchange(accessToken, {}, { includeRefreshToken: true });
      return { token: body.refreshToken, playerId, sessionId };
    },
    refresh: (token, headers) => exchange(token, headers),
    signed: ({ body }) => body.assertionToken,
    ends: { logout: logOut, ban, deletion: erase },
    reuse: 'third_party_token.reused',
  },
};

for (const [path, { table, arrange, refresh, signed, ends, reuse }] of Object.entries(flows)) {
  const withKey = (token: string, key: string) => refresh(token, { 'idempotency-key': key });
  const usedAgo = (token: string, seconds: number) =>
    app.owner.query(
      `UPDATE ${table} SET used_at = clock_timestamp() - make_interval(secs => $2) WHERE token_hash = $1`,
      [vault.fingerprint(token), seconds],
    );
  const rowsOf = async ({ token }: Holder) =>
    (
      await app.owner.query(
        `SELECT token_hash, expires_at, used_at FROM ${table}
         WHERE session_id = (SELECT session_id FROM ${table} WHERE token_hash = $1) ORDER BY token_hash`,
        [vault.fingerprint(token)],
      )
    ).rows;
  const reusesOf = async ({ sessionId }: Holder) =>
    (
      await app.owner.query('SELECT FROM audit_records WHERE target_id = $1 AND action = $2', [
        sessionId,
        reuse,
      ])
    ).rowCount;
  const refused = async (answer: Promise<Answer>, message: string) => {
    const { status, text } = await answer;
    assert.ok(status === 401 || (status === 403 && /player_banned/.test(text)), `${message}: ${text}`);
  };

  describe(`POST ${path} with Idempotency-Key`, () => {
    test('returns the same refresh token again, and writes nothing more', async () => {
      const holder = await arrange();
      const key = randomUUID();
      const first = await withKey(holder.token, key);
      assert.equal(first.status, 200, first.text);
      const stored = await rowsOf(holder);
      assert.equal(stored.length, 2);
      await usedAgo(holder.token, 30);
      const rows = await rowsOf(holder);
      for (let time = 0; time < 3; time++) {
        const again = await withKey(holder.token, key);
        assert.equal(again.status, 200, again.text);
        assert.equal(again.body.refreshToken, first.body.refreshToken);
        const [before, after] = [partOf(signed(first), 1), partOf(signed(again), 1)];
        assert.deepEqual([after.sub, after.sid, after.tid], [before.sub, before.sid, before.tid]);
      }
      assert.deepEqual(await rowsOf(holder), rows);
      assert.equal(await reusesOf(holder), 0);
      assert.equal((await refresh(first.body.refreshToken, {})).status, 200, 'the new token works');
    });

    test('returns the same refresh token to twenty equal parallel requests', async () => {
      const holder = await arrange();
      const key = randomUUID();
      const answers = await Promise.all(Array.from({ length: 20 }, () => withKey(holder.token, key)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        Array(20).fill(200),
      );
      assert.equal(new Set(answers.map(({ body }) => body.refreshToken)).size, 1);
      assert.equal((await rowsOf(holder)).length, 2);
    });

    test('revokes the family if the request is repeated after 60 seconds', async () => {
      const holder = await arrange();
      const key = randomUUID();
      const { refreshToken } = (await withKey(holder.token, key)).body;
      await usedAgo(holder.token, 55);
      assert.equal((await withKey(holder.token, key)).body.refreshToken, refreshToken);
      await usedAgo(holder.token, 61);
      await refused(withKey(holder.token, key), 'too late');
      await refused(refresh(refreshToken, {}), 'the family is revoked');
      assert.equal(await reusesOf(holder), 1);
    });

    test('refuses a repeated request once the new token was used', async () => {
      const holder = await arrange();
      const key = randomUUID();
      const { refreshToken } = (await withKey(holder.token, key)).body;
      const newest = (await withKey(refreshToken, key)).body.refreshToken;
      assert.notEqual(newest, refreshToken);
      await refused(withKey(holder.token, key), 'within ten seconds');
      assert.equal(await reusesOf(holder), 0);
      await usedAgo(holder.token, 11);
      await refused(withKey(holder.token, key), 'after ten seconds');
      await refused(refresh(newest, {}), 'the family is revoked');
      assert.equal(await reusesOf(holder), 1);
    });

    test('treats a request with another key or without a key as a reuse', async () => {
      for (const other of [{ 'idempotency-key': randomUUID() as string }, {} as Record<string, string>]) {
        const holder = await arrange();
        const key = randomUUID();
        const { refreshToken } = (await withKey(holder.token, key)).body;
        await refused(refresh(holder.token, other), 'within ten seconds');
        assert.equal((await withKey(holder.token, key)).body.refreshToken, refreshToken);
        await usedAgo(holder.token, 11);
        await refused(refresh(holder.token, other), 'after ten seconds');
        await refused(withKey(holder.token, key), 'the family is revoked');
        await refused(refresh(refreshToken, {}), 'the family is revoked');
        assert.equal(await reusesOf(holder), 1);
      }
    });

    test('treats a request with a key as a reuse if the first one had none', async () => {
      const holder = await arrange();
      const { refreshToken } = (await refresh(holder.token, {})).body;
      await refused(withKey(holder.token, randomUUID()), 'within ten seconds');
      await usedAgo(holder.token, 11);
      await refused(withKey(holder.token, randomUUID()), 'after ten seconds');
      await refused(refresh(refreshToken, {}), 'the family is revoked');
    });

    test('accepts keys of 8 to 128 visible characters, and returns 400 for all others', async () => {
      const holder = await arrange();
      for (const key of ['', '1234567', 'x'.repeat(129), 'with a space', 'ümlauts!', 'tab\there'])
        assert.equal((await withKey(holder.token, key)).body.code, 'invalid_request', key);
      let { token } = holder;
      for (const key of ['12345678', '!~"\\{}[]', 'x'.repeat(128)]) {
        const answer = await withKey(token, key);
        assert.equal(answer.status, 200, key);
        token = answer.body.refreshToken;
      }
    });

    test('stores neither the token nor the key in plain text', async () => {
      const holder = await arrange();
      const key = randomUUID();
      const { refreshToken } = (await withKey(holder.token, key)).body;
      const { rows } = await app.owner.query(`SELECT t::text AS row FROM ${table} t`);
      assert.ok(rows.length > 0);
      for (const { row } of rows)
        for (const secret of [holder.token, refreshToken, key]) assert.ok(!row.includes(secret.slice(-60)));
    });

    for (const [name, end] of Object.entries(ends)) {
      test(`refuses a repeated request after ${name}`, async () => {
        const holder = await arrange();
        const key = randomUUID();
        const { refreshToken } = (await withKey(holder.token, key)).body;
        const ended = await end(holder);
        assert.ok(ended.status < 300, ended.text);
        await refused(withKey(holder.token, key), 'the old token');
        await refused(refresh(refreshToken, {}), 'the new token');
      });

      test(`leaves no working token after repeated requests in parallel with ${name}`, async () => {
        await raceInEachOrder(10, async (first, second, round) => {
          const holder = await arrange();
          const key = randomUUID();
          const requests = Array.from({ length: 3 }, () => first(() => withKey(holder.token, key)));
          const ending = second(() => end(holder));
          const answers = await Promise.all(requests);
          assert.ok((await ending).status < 300);
          const tokens = answers.filter(({ status }) => status === 200).map(({ body }) => body.refreshToken);
          assert.ok(new Set(tokens).size <= 1);
          await refused(withKey(holder.token, key), `round ${round}: the old token`);
          for (const token of tokens) await refused(refresh(token, {}), `round ${round}: the new token`);
          return tokens.length > 0;
        });
      });
    }

    test('lets one of several parallel requests with different keys or without a key succeed', async () => {
      const winners = new Set<string>();
      for (let round = 0; round < 100 && (round < 10 || winners.size < 3); round++) {
        const holder = await arrange();
        const keys = [randomUUID(), randomUUID(), undefined];
        const sent = keys.flatMap((key) => (key ? [key, key, key] : [key]));
        const answers = await Promise.all(
          sent.map((key) => later(() => (key ? withKey(holder.token, key) : refresh(holder.token, {})))),
        );
        const won = new Set(sent.filter((_, index) => answers[index]?.status === 200));
        assert.equal(won.size, 1, `round ${round}`);
        winners.add(String(keys.indexOf([...won][0])));
        const winner = answers.find(({ status }) => status === 200);
        assert.equal((await rowsOf(holder)).length, 2);
        assert.equal((await refresh(winner!.body.refreshToken, {})).status, 200);
        assert.equal(await reusesOf(holder), 0);
      }
      assert.equal(winners.size, 3, 'each request succeeds in some round');
    });
  });
}

describe('40 requests with a token of a locked session of the portal', () => {
  const { arrange, refresh, ends } = flows['/api/player-portal-auth/refresh']!;
  const kinds = {
    refreshes: [(holder: Holder) => refresh(holder.token, {}), [200, ...Array(39).fill(401)]],
    logouts: [(holder: Holder) => ends.logout!(holder), Array(40).fill(204)],
  } as const;
  for (const [name, [send, statuses]] of Object.entries(kinds))
    test(`use one connection of 4 (${name})`, async () => {
      const [locked, other] = [await arrange(), await arrange()];
      await whileLocked(
        app,
        (holder) => holder.query('SELECT FROM portal_sessions WHERE id = $1 FOR UPDATE', [locked.sessionId]),
        async (waiting, release) => {
          const held = Array.from({ length: 40 }, () => send(locked));
          await waiting(1);
          assert.equal((await refresh(other.token, {})).status, 200);
          await arrangePlayer(app, tenant);
          await waiting(1);
          await release();
          const answers = (await Promise.all(held)).map(({ status }) => status);
          assert.deepEqual(answers.toSorted(), statuses);
        },
      );
      assert.equal((await refresh(locked.token, {})).status, 401);
    });
});

describe('a repeated request', () => {
  test('is billed one unit if accepted, and none if refused', async () => {
    const payer = await arrangeTenant(app);
    const units = async () => {
      const { rows } = await app.owner.query(
        `SELECT coalesce(sum(units), 0)::int AS units
         FROM (SELECT units FROM usage_entries WHERE tenant_id = $1
               UNION ALL SELECT units FROM usage_totals WHERE tenant_id = $1) used`,
        [payer.tenantId],
      );
      return rows[0].units as number;
    };
    const { refreshToken } = await arrangePlayer(app, payer);
    const send = (key: string) =>
      app.http.post(
        '/api/player-auth/refresh',
        { refreshToken },
        { gameKey: payer.gameKey, headers: { 'idempotency-key': key } },
      );
    const before = await units();
    assert.equal((await send('the-first-key')).status, 200);
    assert.equal((await send('the-first-key')).status, 200);
    assert.equal((await send('another-key')).status, 401);
    assert.equal((await units()) - before, 2);
  });

  test('requires the game key of the same tenant', async () => {
    const other = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const { refreshToken } = await arrangePlayer(app, tenant);
    const send = (gameKey: string) =>
      app.http.post(
        '/api/player-auth/refresh',
        { refreshToken },
        { gameKey, headers: { 'idempotency-key': 'one-and-the-same' } },
      );
    const first = await send(tenant.gameKey);
    assert.equal((await send(other.gameKey)).body.code, 'invalid_refresh_token');
    assert.equal((await send(tenant.gameKey)).body.refreshToken, first.body.refreshToken);
  });

  test('returns 401 after the device was blocked', async () => {
    const login = await app.http.post(
      '/api/player-auth/login',
      { provider: 'Mock', token: 'mock:blocked:secret', deviceInfo: { deviceFingerprint: 'f'.repeat(16) } },
      tenant,
    );
    const { accessToken: bearer, refreshToken } = login.body;
    const send = () =>
      app.http.post(
        '/api/player-auth/refresh',
        { refreshToken },
        { gameKey: tenant.gameKey, headers: { 'idempotency-key': 'before-the-block' } },
      );
    assert.equal((await send()).status, 200);
    const [device] = (await app.http.get('/api/player/devices', { bearer })).body;
    const path = `/api/player/devices/${device.id}`;
    assert.equal((await app.http.patch(path, { isBlocked: true }, { bearer })).status, 200);
    assert.equal((await send()).body.code, 'invalid_refresh_token');
  });

  test('returns 401 for a third party’s token with another audience', async () => {
    const { token } = await flows['/api/player-auth/jwt/exchange']!.arrange();
    const headers = { 'idempotency-key': randomUUID() };
    assert.equal((await exchange(token, headers)).status, 200);
    const other = await exchange(token, headers, { audience: 'https://other.example' });
    assert.equal(other.body.code, 'audience_mismatch');
    assert.equal((await exchange(token, headers)).status, 200);
  });
});
