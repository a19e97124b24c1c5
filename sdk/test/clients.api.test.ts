import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  accountClient,
  authenticatorCode,
  ACCOUNT_PASSWORD,
} from '../../server/src/testing/account-client.ts';
import { arrangeProvider } from '../../server/src/testing/arrange.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { startTestApp } from '../../server/src/testing/test-app.ts';
import { startFaultProxy } from '../conformance/fault-proxy.ts';
import { createAdminClient } from '../src/admin.ts';
import { createApiClient, createPlayerClient, GuildhallError, memoryStorage } from '../src/index.ts';
import { createServerClient } from '../src/server.ts';
import { arrangeGame } from './game.ts';

const app = await startTestApp();
const proxy = await startFaultProxy(app.url);
after(() => proxy.close());
const tenant = await arrangeGame(app);
const { gameKey } = tenant;
const mock = (name: string) => ({ provider: 'Mock', token: `mock:${name}:secret` }) as const;

const failsWith = (code: string, status: number) => (error: unknown) => {
  assert.ok(error instanceof GuildhallError, String(error));
  assert.deepEqual([error.code, error.status], [code, status]);
  return true;
};

describe('createPlayerClient', () => {
  test('signs in with a provider, and keeps the session in its storage', async () => {
    const storage = memoryStorage();
    const game = createPlayerClient({ baseUrl: `${app.url}/`, gameKey, storage });
    const { playerId, isNewPlayer } = await game.signIn.withProvider(mock('kept'));
    assert.equal(isNewPlayer, true);
    const again = createPlayerClient({ baseUrl: app.url, gameKey, storage });
    assert.equal((await again.session.load())?.playerId, playerId);
    assert.equal((await again.profile.get()).id, playerId);
    await again.signOut();
    assert.equal(await createPlayerClient({ baseUrl: app.url, gameKey, storage }).session.load(), undefined);
  });

  test('signs in with a wallet and a function that signs', async () => {
    await arrangeProvider(app, tenant, 'EvmWallet', {});
    const wallet = privateKeyToAccount(generatePrivateKey());
    const game = createPlayerClient({ baseUrl: app.url, gameKey });
    const { playerId } = await game.signIn.withWallet({
      address: wallet.address,
      sign: (message) => wallet.signMessage({ message }),
    });
    assert.equal(game.session.current?.playerId, playerId);
    assert.equal((await game.profile.get()).authMethods[0]?.authProvider, 'EvmWallet');
  });

  test('signs up and in with a password', async () => {
    await arrangeProvider(app, tenant, 'EmailPassword', {});
    const game = createPlayerClient({ baseUrl: app.url, gameKey });
    const account = { email: 'ada@example.com', password: 'correct horse' };
    const { playerId } = await game.signIn.signUp(account);
    assert.equal((await game.signIn.withPassword(account)).playerId, playerId);
    await assert.rejects(
      game.signIn.withPassword({ ...account, password: 'battery staple' }),
      failsWith('invalid_credentials', 401),
    );
    assert.equal(game.session.current?.playerId, playerId);
  });

  test('reads and changes the own profile, devices and history', async () => {
    const game = createPlayerClient({ baseUrl: app.url, gameKey });
    const deviceInfo = { deviceFingerprint: 'the-phone-of-grace' };
    const { playerId } = await game.signIn.withProvider({ ...mock('grace'), deviceInfo });
    assert.equal((await game.profile.update({ displayName: 'Grace' })).displayName, 'Grace');
    const [device] = await game.profile.listDevices();
    assert.equal((await game.profile.updateDevice(device!.id, { deviceName: 'Phone' })).deviceName, 'Phone');
    for (let round = 0; round < 4; round++) await game.signIn.withProvider(mock('grace'));
    const history = await Array.fromAsync(game.profile.sessionHistory({ pageSize: 2 }));
    assert.equal(history.length, 5);
    assert.equal(new Set(history.map(({ sessionId }) => sessionId)).size, 5);
    const seen = await game.getPlayer(playerId);
    assert.equal('displayName' in seen && seen.displayName, 'Grace');
    assert.equal((await game.getPublicPlayer(playerId)).displayName, 'Grace');
    await game.profile.delete();
    await assert.rejects(game.getPlayer(playerId), failsWith('not_found', 404));
  });

  test('gives errors a code, fields and a request id', async () => {
    const game = createPlayerClient({ baseUrl: app.url, gameKey });
    await game.signIn.withProvider(mock('errors'));
    await assert.rejects(game.profile.update({ displayName: '' }), (error: GuildhallError) => {
      assert.equal(error.code, 'invalid_request');
      assert.equal(error.errors[0]?.path, 'displayName');
      assert.match(error.requestId!, /^[\w-]{36}$/);
      assert.equal(error.isUncertain, false);
      return true;
    });
  });

  test('tells a timeout from a server that cannot be reached', async () => {
    proxy.plan([{ match: 'POST /api/player-auth/login', action: 'delay', delayMs: 2_000 }]);
    const slow = createPlayerClient({ baseUrl: proxy.url, gameKey, timeoutMs: 100 });
    await assert.rejects(slow.signIn.withProvider(mock('slow')), failsWith('timeout', 0));
    const nowhere = createPlayerClient({ baseUrl: 'http://127.0.0.1:1', gameKey });
    await assert.rejects(nowhere.signIn.withProvider(mock('slow')), failsWith('network_error', 0));
  });
});

describe('createServerClient', () => {
  test('creates one match when answers are lost, and records it', async () => {
    const server = createServerClient({
      baseUrl: proxy.url,
      gameKey,
      apiKey: tenant.apiKey,
      retries: { backOff: { firstMs: 10, longestMs: 100 } },
    });
    const [one, other] = await Promise.all([server.signIn(mock('one')), server.signIn(mock('other'))]);
    proxy.plan([{ match: 'POST /api/game/matches', action: 'drop_answer', times: 3 }]);
    const { matchSessionId, players } = await server.matches.create({
      players: [{ playerId: one.playerId }],
    });
    const { matchPlayerId } = await server.matches.join(matchSessionId, { playerId: other.playerId });
    await server.matches.recordResults(matchSessionId, [{ matchPlayerId, placement: 1 }]);
    await server.matches.leave(matchSessionId, players[0]!.matchPlayerId);
    await server.matches.end(matchSessionId);
    assert.equal((await server.matches.get(matchSessionId)).players.length, 2);
    const { rows } = await app.owner.query(
      'SELECT count(DISTINCT match_session_id)::int AS matches FROM match_players WHERE tenant_id = $1 AND player_id = $2',
      [tenant.tenantId, one.playerId],
    );
    assert.deepEqual(rows, [{ matches: 1 }]);

    assert.equal(await server.players.find({ provider: 'Mock', providerUserId: 'one' }), one.playerId);
    assert.equal((await server.players.getMany([one.playerId, other.playerId])).items.length, 2);
    await assert.rejects(
      server.players.find({ provider: 'Mock', providerUserId: 'nobody' }),
      failsWith('player_not_found', 404),
    );
  });

  test('validates the assertion of a player, and exchanges the refresh token of a third party', async () => {
    const server = createServerClient({ baseUrl: app.url, gameKey });
    const game = createPlayerClient({ baseUrl: app.url, gameKey });
    const { playerId } = await game.signIn.withProvider(mock('third'));
    const audience = 'https://shop.example';
    const { assertionToken, refreshToken } = await game.createAssertion(audience, {
      includeRefreshToken: true,
    });
    assert.equal((await server.assertions.validate(assertionToken, audience)).playerId, playerId);
    await assert.rejects(
      server.assertions.validate(assertionToken, 'other'),
      failsWith('audience_mismatch', 401),
    );
    const next = await server.assertions.exchange(refreshToken!, audience);
    assert.equal((await server.assertions.validate(next.assertionToken, audience)).active, true);
  });

  test('sends exact 64-bit values, and reads them back', async () => {
    const server = createServerClient({ baseUrl: app.url, gameKey });
    const { playerId, accessToken } = await server.signIn(mock('exact'));
    const value = 9_223_372_036_854_775_807n;
    const event = { playerId, eventKey: 'big', value, idempotencyKey: 'big-1', occurredAt: new Date() };
    const { stored, duplicates } = await server.sendPlayerEvents(accessToken, [event, event]);
    assert.deepEqual([stored, duplicates], [1, 1]);
    const api = createApiClient({ baseUrl: app.url, apiKey: tenant.apiKey });
    const { items } = await api.GET('/api/bus_tenants/{tenantId}/events', {
      params: { path: { tenantId: tenant.tenantId }, query: { scope: 'player', playerId } },
    });
    assert.deepEqual(
      items.map((item) => item.value),
      [value],
    );
  });
});

describe('createAdminClient', () => {
  test('asks for the second factor, and signs in with its code', async () => {
    const accounts = await accountClient(app);
    const { email } = await accounts.signUpVerified();
    const storage = memoryStorage();
    const admin = createAdminClient({ baseUrl: app.url, storage });
    assert.ok('id' in (await admin.signIn({ email, password: ACCOUNT_PASSWORD })));
    const { secret } = await admin.api.POST('/api/saas-auth/totp/enroll', {
      body: { password: ACCOUNT_PASSWORD },
    });
    await admin.api.POST('/api/saas-auth/totp/confirm', { body: { code: authenticatorCode(secret) } });
    assert.equal((await admin.reload()).totpEnabled, true);
    await admin.signOut();

    const answer = await admin.signIn({ email, password: ACCOUNT_PASSWORD });
    assert.ok('mfaToken' in answer);
    assert.equal(await admin.session.load(), undefined);
    const { mfaToken } = answer;
    assert.equal((await admin.verifyTotp({ mfaToken, code: authenticatorCode(secret, 1) })).email, email);
    assert.equal(admin.session.current?.email, email);
  });

  test('follows notifications over a broken connection', async () => {
    const accounts = await accountClient(app);
    const { email, id } = await accounts.signUp();
    let connection = new AbortController();
    const admin = createAdminClient({
      baseUrl: app.url,
      fetch: (url, init) => {
        connection = new AbortController();
        return fetch(url, { ...init, signal: AbortSignal.any([init!.signal!, connection.signal]) });
      },
    });
    await admin.signIn({ email, password: ACCOUNT_PASSWORD });
    const seen: string[] = [];
    const states: string[] = [];
    const feed = admin.followNotifications({
      onNotification: ({ title }) => seen.push(title),
      onState: (state) => states.push(state),
    });
    await eventually(() => states.includes('connected'));
    const notify = (title: string) =>
      app.owner.query(
        `INSERT INTO notifications (id, account_id, type, title, text) VALUES (gen_random_uuid(), $1, 'test', $2, '-')`,
        [id, title],
      );
    await notify('first');
    await eventually(() => seen.length === 1);
    connection.abort();
    await eventually(() => states.includes('waiting'));
    await notify('while disconnected');
    await eventually(() => states.filter((state) => state === 'connected').length === 2);
    await notify('last');
    await eventually(() => seen.length === 3);
    feed.close();
    await eventually(() => states.includes('closed'));
    assert.deepEqual(seen, ['first', 'while disconnected', 'last']);
  });
});
