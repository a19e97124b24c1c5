import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { arrangeAccount, arrangeTenant } from '../../server/src/testing/arrange.ts';
import { smallPicture } from '../../server/src/testing/avatars.ts';
import { emailClient, someNetwork } from '../../server/src/testing/email-player.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { someEmail } from '../../server/src/testing/mailbox.ts';
import { startTestApp, startTestWorker } from '../../server/src/testing/test-app.ts';
import { startFaultProxy } from '../conformance/fault-proxy.ts';
import {
  createApiClient,
  createPlayerClient,
  type GuildhallError,
  memoryStorage,
  type ClientStorage,
  type IdentityProof,
  type PlayerClientOptions,
  type WalletSigner,
} from '../src/index.ts';
import { OWN_SESSION, trackCalls } from './called-methods.ts';
import { failsWith } from './fails-with.ts';
import { assertServerTime } from './server-time.ts';

const app = await startTestApp({ env: { TRUST_PROXY: 'on' } });
await startTestWorker(app);
const proxy = await startFaultProxy(app.url);
after(() => proxy.close());
const { mailsTo, secretTo } = await emailClient(app);
const providers = ['Mock', 'EvmWallet', 'EmailOneTimeCode', 'EmailPassword'];
const tenant = await arrangeTenant(app, { providers });
/** A game of another workspace. */
const foreign = await arrangeTenant(app, { providers });

/** Other calls about `matches` are tested with a server client: both have the same methods. */
const tracked = trackCalls([
  ...OWN_SESSION.filter((path) => path !== 'session.accessToken'),
  ...['leave', 'end', 'recordResults', 'get'].map((name) => `matches.${name}`),
]);
const newClient = (options: Partial<PlayerClientOptions> = {}) =>
  tracked(
    createPlayerClient({
      baseUrl: app.url,
      gameKey: tenant.gameKey,
      // Limits of mails and sign-ups count by network.
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...init?.headers, 'x-forwarded-for': someNetwork() } }),
      ...options,
    }),
  );
const mock = (name: string) => ({ provider: 'Mock', token: `mock:${name}:secret` }) as const;
/** A part of an export. */
interface Export {
  profile: { id: string; email: string };
  playerEvents: { value: bigint }[];
}

const asExport = (data: unknown) => data as Export;
const someName = () => randomBytes(6).toString('hex');

/** A wallet like a class of a library: `sign` needs its `this`, and the key must stay here. */
class TestWallet implements WalletSigner {
  readonly privateKey = generatePrivateKey();
  readonly account = privateKeyToAccount(this.privateKey);
  readonly address = this.account.address;
  sign(message: string) {
    return this.account.signMessage({ message });
  }
}

/** Waits for the mail that an action sends, and returns its code or token. */
async function mailed(email: string, action: () => Promise<unknown>): Promise<string> {
  await app.owner.query(
    `UPDATE one_time_codes SET sent_at = sent_at - interval '1 minute' WHERE email = $1`,
    [email],
  );
  const before = (await mailsTo(email)).length;
  await action();
  await eventually(async () => (await mailsTo(email)).length > before);
  return secretTo(email);
}

/** A player with a wallet, whom games of two workspaces know. */
async function knownInTwoWorkspaces(options: Partial<PlayerClientOptions> = {}) {
  const wallet = new TestWallet();
  const game = newClient(options);
  const { playerId } = await game.signIn.withWallet({
    address: wallet.address,
    sign: (message) => wallet.sign(message),
    deviceInfo: { deviceFingerprint: `device-of-${wallet.address}` },
  });
  await newClient({ gameKey: foreign.gameKey }).signIn.withWallet(wallet);
  return { game, wallet, playerId };
}

describe('sign-in', () => {
  test('keeps the session in its storage, and ends it', async () => {
    const storage = memoryStorage();
    const game = newClient({ baseUrl: `${app.url}/`, storage });
    const seen: (string | undefined)[] = [];
    const ended: string[] = [];
    const unsubscribe = game.session.subscribe((player) => seen.push(player?.playerId));
    game.session.onSessionEnded(({ reason }) => ended.push(reason));
    const { playerId, isNewPlayer } = await game.signIn.withProvider(mock('kept'));
    assert.equal(isNewPlayer, true);
    const again = newClient({ storage });
    assert.equal((await again.session.load())?.playerId, playerId);
    assert.equal((await again.profile.get()).id, playerId);
    await assertServerTime(storage, () => newClient({ storage }));
    await game.signOut();
    unsubscribe();
    assert.deepEqual([seen, ended], [[playerId, undefined], ['signed_out']]);
    assert.equal(await newClient({ storage }).session.load(), undefined);
    // The session ended on the server too.
    const { rows } = await app.owner.query('SELECT reason FROM logout_ledger WHERE player_id = $1', [
      playerId,
    ]);
    assert.equal(rows.length, 1);
    await game.signIn.withProvider(mock('kept'));
    assert.deepEqual(seen, [playerId, undefined]);
  });

  test('ends the session on the server if the game key requires the token of a player', async () => {
    const created = await app.http.post(
      `/api/bus_tenants/${tenant.tenantId}/game-keys`,
      { name: 'client', requirePlayerToken: true },
      await arrangeAccount(app, tenant, 'owner'),
    );
    const isEnded = async (sessionId: string | undefined) => {
      const { rows } = await app.owner.query('SELECT FROM logout_ledger WHERE session_id = $1', [sessionId]);
      return rows.length === 1;
    };
    for (const isExpired of [false, true]) {
      const options = { storage: memoryStorage(), gameKey: created.body.key };
      const { sessionId } = await newClient(options).signIn.withProvider(mock('guarded'));
      if (isExpired) await expireToken(options.storage);
      await newClient(options).signOut();
      assert.equal(await isEnded(sessionId), true, isExpired ? 'expired token' : 'valid token');
    }

    // The clock of the device was set back, so the client takes an expired token for a valid one.
    const { game } = await withRefusedToken('late');
    const late = await game.session.load();
    await game.signOut();
    assert.equal(await isEnded(late?.sessionId), true);
  });

  test('creates a player once', async () => {
    const name = someName();
    const game = newClient();
    assert.equal((await game.signIn.createPlayer(mock(name))).isNewPlayer, true);
    await assert.rejects(game.signIn.createPlayer(mock(name)), failsWith('player_exists', 409));
    await assert.rejects(
      game.signIn.withProvider({ ...mock(someName()), createAccountIfMissing: false }),
      failsWith('player_not_found', 404),
    );
    await assert.rejects(
      game.signIn.withProvider({ provider: 'Mock', token: `mock:${name}:wrong` }),
      failsWith('invalid_credentials', 401),
    );
  });

  test('signs in with a wallet, and sends no other members of the wallet object', async () => {
    const bodies: string[] = [];
    const wallet = new TestWallet();
    const game = newClient({
      fetch: (url, init) => {
        bodies.push(String(init?.body));
        return fetch(url, init);
      },
    });
    const { playerId } = await game.signIn.withWallet({
      address: wallet.address,
      chainId: 1,
      sign: (message) => wallet.sign(message),
      deviceInfo: { deviceFingerprint: 'the-phone-of-satoshi' },
    });
    assert.equal(game.session.current?.playerId, playerId);
    const { authMethods } = await game.profile.get();
    assert.equal(authMethods[0]?.authProvider, 'EvmWallet');
    assert.equal((await game.profile.listDevices()).length, 1);
    assert.equal((await game.signIn.withWallet(wallet)).playerId, playerId);
    await game.profile.signProof(wallet);
    assert.ok(bodies.join().includes('the-phone-of-satoshi'));
    assert.ok(!bodies.join().includes(wallet.privateKey));
    const liar = { address: wallet.address, sign: (message: string) => new TestWallet().sign(message) };
    await assert.rejects(game.signIn.withWallet(liar), failsWith('invalid_credentials', 401));
    await assert.rejects(
      game.signIn.withWallet({ ...liar, address: '0x12' }),
      failsWith('invalid_request', 400),
    );
  });

  test('signs in with a mailed code', async () => {
    const email = someEmail();
    const game = newClient();
    const code = await mailed(email, () => game.signIn.sendCode(email));
    await assert.rejects(
      game.signIn.withCode({ email, code: code === '000000' ? '111111' : '000000' }),
      failsWith('invalid_credentials', 401),
    );
    assert.equal((await game.signIn.withCode({ email, code })).isNewPlayer, true);
    assert.equal((await game.profile.get()).email, email);
    await assert.rejects(game.signIn.withCode({ email, code }), failsWith('invalid_credentials', 401));
    await assert.rejects(game.signIn.sendCode('no address'), failsWith('invalid_request', 400));
  });

  test('signs up with a password, verifies the address, and resets the password', async () => {
    const game = newClient();
    const account = { email: someEmail(), password: 'correct horse' };
    const { playerId } = await game.signIn.signUp(account);
    await eventually(async () => (await mailsTo(account.email)).length === 1);
    await assert.rejects(game.signIn.verifyEmail('gh_verify_wrong'), failsWith('invalid_credentials', 401));
    await app.owner.query(`UPDATE email_tokens SET expires_at = now() WHERE email = $1`, [account.email]);
    await game.signIn.resendVerification();
    await game.signIn.verifyEmail(await secretTo(account.email));
    await assert.rejects(game.signIn.resendVerification(), failsWith('conflict', 409));
    assert.equal((await game.profile.get()).email, account.email);
    assert.equal((await game.signIn.withPassword(account)).playerId, playerId);
    await assert.rejects(
      game.signIn.withPassword({ ...account, password: 'battery staple' }),
      failsWith('invalid_credentials', 401),
    );
    assert.equal(game.session.current?.playerId, playerId, 'a wrong password ends no session');
    await assert.rejects(game.signIn.signUp(account), failsWith('player_exists', 409));

    const token = await mailed(account.email, () => game.signIn.requestPasswordReset(account.email));
    const reset = { token, newPassword: 'battery staple' };
    await game.signIn.resetPassword(reset);
    await assert.rejects(game.signIn.resetPassword(reset), failsWith('invalid_credentials', 401));
    const changed = { ...account, password: 'battery staple' };
    assert.equal((await game.signIn.withPassword(changed)).playerId, playerId);
  });

  test('signs in with one pair of calls for wallets and codes', async () => {
    const game = newClient();
    const wallet = new TestWallet();
    const { challengeId, message } = await game.signIn.requestChallenge({
      provider: 'EvmWallet',
      subject: wallet.address,
    });
    const response = await wallet.sign(message!);
    const { playerId } = await game.signIn.answerChallenge({ challengeId, response });
    assert.equal(game.session.current?.playerId, playerId);
    await assert.rejects(
      game.signIn.answerChallenge({ challengeId, response }),
      failsWith('invalid_credentials', 401),
    );
  });

  test('rejects the answer of a gateway to a sign-in', async () => {
    const storage = memoryStorage();
    const game = newClient({ baseUrl: proxy.url, storage });
    proxy.plan([{ match: 'POST /api/player-auth/login', action: 'answer_200' }]);
    await assert.rejects(game.signIn.withProvider(mock('gateway')), failsWith('unexpected_answer', 0));
    assert.equal(game.session.current, undefined);
    assert.deepEqual(await storage.list('', 10), []);
    const page = newClient({
      fetch: async () => new Response('<html>', { headers: { 'content-type': 'text/html; charset=utf-8' } }),
    });
    await assert.rejects(page.getPublicPlayer(randomUUID()), failsWith('unexpected_answer', 0));
  });

  test('distinguishes a timeout from a server that cannot be reached', async () => {
    proxy.plan([{ match: 'POST /api/player-auth/login', action: 'delay', delayMs: 2_000 }]);
    const slow = newClient({ baseUrl: proxy.url, timeoutMs: 100 });
    await assert.rejects(slow.signIn.withProvider(mock('slow')), failsWith('timeout', 0));
    const nowhere = newClient({ baseUrl: 'http://127.0.0.1:1' });
    await assert.rejects(nowhere.signIn.withProvider(mock('slow')), failsWith('network_error', 0));
  });

  test('gives up in time while the session is renewed, and stays signed in', async () => {
    const storage = memoryStorage();
    await newClient({ baseUrl: proxy.url, storage }).signIn.withProvider(mock('hasty'));
    await expireToken(storage);
    const game = newClient({ baseUrl: proxy.url, storage, timeoutMs: 1_000 });
    proxy.plan([{ match: 'POST /api/player-auth/refresh', action: 'delay', delayMs: 1_500 }]);
    const aborted = game.api.GET('/api/player-profile/me', { signal: AbortSignal.timeout(200) });
    await Promise.all([
      assert.rejects(aborted, { name: 'TimeoutError' }),
      assert.rejects(game.profile.get(), failsWith('timeout', 0)),
      assert.rejects(game.api.GET('/api/player-profile/me', { signal: AbortSignal.abort() }), {
        name: 'AbortError',
      }),
    ]);
    assert.ok(game.session.current);
    // Without the limit, because a slow machine may take longer.
    assert.ok((await newClient({ baseUrl: proxy.url, storage }).profile.get()).id);
  });

  test('gives its access token, which it renews if it has expired', async () => {
    const storage = memoryStorage();
    const game = newClient({ storage });
    assert.equal(await game.session.accessToken(), undefined);
    const { accessToken } = await game.signIn.withProvider(mock('handed-over'));
    assert.equal(await game.session.accessToken(), accessToken);
    await expireToken(storage);
    const renewed = await newClient({ storage }).session.accessToken();
    assert.notEqual(renewed, accessToken);
    const api = createApiClient({ baseUrl: app.url, gameKey: tenant.gameKey, bearer: renewed });
    assert.equal((await api.GET('/api/player-profile/me')).id, game.session.current?.playerId);
  });

  test('keeps the session of each game of an origin', async () => {
    const storage = memoryStorage();
    const one = newClient({ storage });
    const { playerId } = await one.signIn.withProvider(mock('origin'));
    const other = newClient({ storage, gameKey: foreign.gameKey });
    assert.equal(await other.session.load(), undefined);
    await other.signIn.withProvider(mock('origin'));
    for (const gameKey of [tenant.gameKey, foreign.gameKey]) {
      const { session, profile } = newClient({ storage, gameKey });
      assert.equal(
        (await session.load())?.tenantId,
        (gameKey === tenant.gameKey ? tenant : foreign).tenantId,
      );
      await profile.get();
    }
    await other.signOut();
    assert.equal((await newClient({ storage }).session.load())?.playerId, playerId);
  });

  test('keeps the session over a new game key and address with a storageKey', async () => {
    const kept = { storage: memoryStorage(), storageKey: 'my-game' };
    const { playerId } = await newClient(kept).signIn.withProvider(mock('rotated'));
    await expireToken(kept.storage);
    const owner = await arrangeAccount(app, tenant, 'owner');
    const created = await app.http.post(
      `/api/bus_tenants/${tenant.tenantId}/game-keys`,
      { name: 'next' },
      owner,
    );
    const next = newClient({ ...kept, baseUrl: proxy.url, gameKey: created.body.key });
    assert.equal((await next.profile.get()).id, playerId);
  });

  test('keeps the session on the server after a refresh with a full storage', async () => {
    const stored = memoryStorage();
    let isFull = false;
    const storage: ClientStorage = {
      ...stored,
      write: async (changes, onlyIf) => {
        if (isFull && Object.values(changes).some(Boolean)) throw new Error('The storage is full.');
        return stored.write(changes, onlyIf);
      },
    };
    await newClient({ storage }).signIn.withProvider(mock('full-storage'));
    await expireToken(storage);
    const game = newClient({ storage });
    isFull = true;
    const { id } = await game.profile.get();
    await app.owner.query(
      `UPDATE refresh_tokens SET used_at = used_at - interval '61 seconds' WHERE used_at IS NOT NULL
       AND session_id = $1`,
      [game.session.current?.sessionId],
    );
    const other = newClient({ storage });
    await assert.rejects(other.profile.get(), failsWith('missing_bearer', 401));
    assert.equal((await game.profile.get()).id, id);
    const { rows } = await app.owner.query(
      'SELECT tokens_revoked_at FROM login_sessions WHERE session_id = $1',
      [game.session.current?.sessionId],
    );
    assert.deepEqual(rows, [{ tokens_revoked_at: null }]);
  });

  test('signs in and out if the storage cannot be read', async () => {
    const denied = async () => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    };
    const game = newClient({ storage: { get: denied, write: denied, list: denied } });
    const { playerId } = await game.signIn.withProvider(mock('iframe'));
    assert.equal((await game.profile.get()).id, playerId);
    await game.signOut();
    assert.equal(game.session.current, undefined);
  });

  test('signs out on the device while the server cannot be reached', async () => {
    const game = newClient({ baseUrl: proxy.url });
    await game.signIn.withProvider(mock('offline'));
    proxy.plan([{ match: 'POST /api/player-auth/logout', action: 'cut' }]);
    await game.signOut();
    assert.equal(game.session.current, undefined);
    await game.signOut();
  });
});

describe('the own profile', () => {
  test('reads and changes profile, devices and history', async () => {
    const game = newClient();
    const deviceInfo = { deviceFingerprint: 'the-phone-of-grace' };
    const { playerId } = await game.signIn.withProvider({ ...mock('grace'), deviceInfo });
    assert.equal((await game.profile.update({ displayName: 'Grace' })).displayName, 'Grace');
    const [device] = await game.profile.listDevices();
    assert.equal((await game.profile.updateDevice(device!.id, { deviceName: 'Phone' })).deviceName, 'Phone');
    await assert.rejects(
      game.profile.updateDevice(randomUUID(), { deviceName: 'Phone' }),
      failsWith('not_found', 404),
    );
    for (let round = 0; round < 4; round++) await game.signIn.withProvider(mock('grace'));
    const history = await Array.fromAsync(game.profile.sessionHistory({ pageSize: 2 }));
    assert.equal(history.length, 5);
    assert.equal(new Set(history.map(({ sessionId }) => sessionId)).size, 5);
    const { tenantId } = tenant;
    assert.equal((await Array.fromAsync(game.profile.sessionHistory({ tenantId }))).length, 5);
    const other = game.profile.sessionHistory({ tenantId: foreign.tenantId });
    assert.deepEqual(await Array.fromAsync(other), []);
    const summary = await game.profile.sessionSummary();
    assert.equal(summary.totalLogins, 5);
    assert.deepEqual(
      (await game.profile.listTenants()).map((one) => one.tenantId),
      [tenantId],
    );
    const seen = await game.getPlayer(playerId);
    assert.equal('displayName' in seen && seen.displayName, 'Grace');
    assert.equal((await game.getPublicPlayer(playerId)).displayName, 'Grace');
    await assert.rejects(game.getPlayer('../me'), failsWith('not_found', 404));
  });

  test('gives errors a code, fields and a request id', async () => {
    const game = newClient();
    await game.signIn.withProvider(mock('errors'));
    await assert.rejects(game.profile.update({ displayName: '' }), (error: GuildhallError) => {
      assert.equal(error.code, 'invalid_request');
      assert.equal(error.errors[0]?.path, 'displayName');
      assert.match(error.requestId!, /^[\w-]{36}$/);
      assert.equal(error.isUncertain, false);
      return true;
    });
  });

  test('sends any request with the credentials of the player', async () => {
    const game = newClient();
    const { playerId } = await game.signIn.withProvider(mock('any'));
    assert.equal((await game.api.GET('/api/player-profile/me')).id, playerId);
    await game.api.PATCH('/api/player-profile/me', { body: { displayName: 'Any' } });
    const refused = game.api.PUT('/api/game/matches/{matchSessionId}/results', {
      params: { path: { matchSessionId: randomUUID() } },
      body: { results: [{ matchPlayerId: randomUUID() }] },
    });
    await assert.rejects(refused, failsWith('not_found', 404));
    const { matchSessionId } = await game.api.POST('/api/game/matches', {
      body: { players: [{ playerId }] },
    });
    assert.ok(matchSessionId);
    const me = (await game.send('GET', '/api/player-profile/me')) as { displayName: string };
    assert.equal(me.displayName, 'Any');
    await game.api.DELETE('/api/player-profile/me');
    assert.equal((await game.profile.get()).isActive, false);
  });

  test('uploads an avatar, and refuses a file that is no image', async () => {
    const game = newClient();
    await game.signIn.withProvider(mock('painter'));
    const upload = (bytes: Uint8Array) => game.profile.uploadAvatar(new Blob([bytes as BlobPart]));
    const address = await upload(smallPicture);
    assert.equal((await game.profile.get()).avatarUrl, address);
    const image = await fetch(app.url + new URL(address).pathname);
    assert.deepEqual([image.status, image.headers.get('content-type')], [200, 'image/png']);
    await assert.rejects(upload(Buffer.from('GIF89a')), failsWith('avatar_type', 400));
    await assert.rejects(upload(smallPicture.subarray(0, 60)), failsWith('avatar_unreadable', 400));
    await assert.rejects(upload(Buffer.alloc(2 * 1024 * 1024 + 1)), failsWith('avatar_too_large', 400));
    assert.equal((await game.profile.get()).avatarUrl, address);
  });

  test('uploads an avatar again after the token was renewed', async () => {
    const { game } = await withRefusedToken('renewed-painter');
    assert.ok(await game.profile.uploadAvatar(new Blob([smallPicture], { type: 'image/png' })));
  });

  test('exports everything, with exact 64-bit values', async () => {
    const game = newClient();
    const { playerId } = await game.signIn.withProvider(mock('exporter'));
    await app.owner.query('UPDATE tenants SET auto_create_definitions = true WHERE id = $1', [
      tenant.tenantId,
    ]);
    const value = 9_223_372_036_854_775_807n;
    await game.api.POST('/api/game/player-events', {
      body: {
        events: [
          {
            playerId,
            eventKey: 'big',
            value,
            idempotencyKey: 'big-1',
            occurredAt: new Date().toISOString(),
          },
        ],
      },
    });
    const { profile, playerEvents } = asExport(await game.profile.exportData());
    assert.equal(profile.id, playerId);
    assert.deepEqual(
      playerEvents.map((event) => event.value),
      [value],
    );
  });

  test('deletes the profile, even when the answer is lost', async () => {
    const game = newClient({ baseUrl: proxy.url });
    const { playerId } = await game.signIn.withProvider(mock('leaver'));
    proxy.plan([{ match: 'DELETE /api/player-profile/me', action: 'drop_answer' }]);
    await assert.rejects(game.profile.delete(), (error: GuildhallError) => error.isUncertain);
    const { rows } = await app.owner.query('SELECT receipt_id FROM deletion_receipts WHERE player_id = $1', [
      playerId,
    ]);
    assert.equal(await game.profile.delete(), rows[0].receipt_id);
    await assert.rejects(game.getPlayer(playerId), failsWith('not_found', 404));
    await assert.rejects(game.profile.update({ displayName: 'Back' }), failsWith('profile_deleted', 400));
  });

  test('links, selects and unlinks sign-in methods', async () => {
    const game = newClient();
    await game.signIn.withProvider(mock(someName()));
    const [first] = (await game.profile.get()).authMethods;
    const second = await game.profile.linkAuthMethod({ ...mock(someName()), setAsPrimary: true });
    assert.equal(second.isPrimary, true);
    assert.equal((await game.profile.setPrimaryAuthMethod(first!.id)).isPrimary, true);
    assert.deepEqual(
      (await game.profile.listAuthMethods()).map(({ id }) => id),
      [first!.id, second.id],
    );
    await game.profile.unlinkAuthMethod(second.id);
    await assert.rejects(game.profile.unlinkAuthMethod(second.id), failsWith('auth_method_not_found', 400));
    await assert.rejects(game.profile.unlinkAuthMethod(first!.id), failsWith('last_auth_method', 400));
    await assert.rejects(
      game.profile.linkAuthMethod({ provider: 'Mock', token: 'nonsense' }),
      failsWith('credential_refused', 400),
    );
    const taken = mock(someName());
    await newClient().signIn.withProvider(taken);
    await assert.rejects(game.profile.linkAuthMethod(taken), failsWith('auth_method_taken', 400));
  });

  test('links a method again after a lost answer', async () => {
    const game = newClient({ baseUrl: proxy.url });
    await game.signIn.withProvider(mock(someName()));
    const other = mock(someName());
    proxy.plan([{ match: 'POST /api/player-profile/me/auth-methods', action: 'drop_answer' }]);
    await assert.rejects(game.profile.linkAuthMethod(other), failsWith('network_error', 0));
    await game.profile.linkAuthMethod(other);
    assert.equal((await game.profile.get()).authMethods.length, 2);
  });

  test('merges another profile, and shows it after a lost answer', async () => {
    const source = mock(someName());
    const { playerId: sourceProfileId } = await newClient().signIn.withProvider(source);
    const game = newClient({ baseUrl: proxy.url });
    const { playerId } = await game.signIn.withProvider(mock(someName()));
    const merge = (token: string) =>
      game.profile.merge({ sourceProfileId, sourceProvider: 'Mock', sourceAuthToken: token });
    await assert.rejects(merge(mock(someName()).token), failsWith('merge_refused', 400));
    proxy.plan([{ match: 'POST /api/player-profile/me/merge', action: 'drop_answer' }]);
    await assert.rejects(merge(source.token), failsWith('network_error', 0));
    assert.deepEqual((await game.profile.get()).mergedProfileIds, [sourceProfileId]);
    await assert.rejects(merge(source.token), failsWith('merge_refused', 400));
    assert.equal((await game.getPlayer(sourceProfileId)).id, playerId);
  });
});

describe('a proof of identity', () => {
  test('is needed for each change as soon as games of two workspaces know the player', async () => {
    const { game, wallet, playerId } = await knownInTwoWorkspaces();
    const { profile } = game;
    const needed = failsWith('identity_proof_required', 403);
    const proof = async (signer: WalletSigner = wallet) => ({ proof: await profile.signProof(signer) });

    const method = mock(someName());
    await assert.rejects(profile.linkAuthMethod(method), needed);
    await assert.rejects(profile.linkAuthMethod(method, await proof(new TestWallet())), needed);
    const linked = await profile.linkAuthMethod(method, await proof());

    await assert.rejects(profile.setPrimaryAuthMethod(linked.id), needed);
    const once = await proof();
    assert.equal((await profile.setPrimaryAuthMethod(linked.id, once)).isPrimary, true);
    await assert.rejects(profile.setPrimaryAuthMethod(linked.id, once), needed);
    await assert.rejects(profile.unlinkAuthMethod(linked.id), needed);
    await profile.unlinkAuthMethod(linked.id, await proof());

    await assert.rejects(profile.exportData(), needed);
    assert.equal(asExport(await profile.exportData(await proof())).profile.id, playerId);

    const source = mock(someName());
    const { playerId: sourceProfileId } = await newClient().signIn.withProvider(source);
    const merged = { sourceProfileId, sourceProvider: 'Mock', sourceAuthToken: source.token } as const;
    await assert.rejects(profile.merge(merged), needed);
    assert.deepEqual((await profile.merge(merged, await proof())).mergedProfileIds, [sourceProfileId]);

    const [device] = await profile.listDevices();
    await assert.rejects(profile.updateDevice(device!.id, { isBlocked: true }), needed);
    assert.equal(
      (await profile.updateDevice(device!.id, { isBlocked: true }, await proof())).isBlocked,
      true,
    );

    await assert.rejects(profile.delete(), needed);
    await profile.delete(await proof());
    assert.equal((await profile.get()).isActive, false);
  });

  test('of both profiles is needed for a merge if games of two workspaces know the source', async () => {
    const source = await knownInTwoWorkspaces();
    const method = mock(someName());
    await source.game.profile.linkAuthMethod(method, {
      proof: await source.game.profile.signProof(source.wallet),
    });
    const game = newClient();
    const wallet = new TestWallet();
    await game.signIn.withWallet(wallet);
    const merged = {
      sourceProfileId: source.playerId,
      sourceProvider: 'Mock',
      sourceAuthToken: method.token,
    } as const;
    const needed = failsWith('identity_proof_required', 403);
    await assert.rejects(game.profile.merge(merged), needed);
    const proven = async () => ({ ...merged, sourceProof: await game.profile.signProof(source.wallet) });
    await assert.rejects(game.profile.merge(await proven()), needed);
    const proof = await game.profile.signProof(wallet);
    assert.deepEqual((await game.profile.merge(await proven(), { proof })).mergedProfileIds, [
      source.playerId,
    ]);
  });

  test('may be a mailed code', async () => {
    const email = someEmail();
    const game = newClient();
    const code = await mailed(email, () => game.signIn.sendCode(email));
    await game.signIn.withCode({ email, code });
    const other = newClient({ gameKey: foreign.gameKey });
    const otherCode = await mailed(email, () => other.signIn.sendCode(email));
    await other.signIn.withCode({ email, code: otherCode });
    const proof: IdentityProof = {
      provider: 'EmailOneTimeCode',
      email,
      code: await mailed(email, () => game.profile.sendProofCode(email)),
    };
    await assert.rejects(
      game.profile.exportData({ proof: { ...proof, code: proof.code === '000000' ? '111111' : '000000' } }),
      failsWith('identity_proof_required', 403),
    );
    assert.equal(asExport(await game.profile.exportData({ proof })).profile.email, email);
  });

  test('is not used up by a request whose token has expired', async () => {
    const { wallet, game: before, storage } = await withRefusedToken(undefined);
    const proof = await before.profile.signProof(wallet);
    assert.ok((await newClient({ storage }).profile.exportData({ proof })).profile);
  });
});

describe('matches', () => {
  test('creates one match of the player when answers are lost', async () => {
    const game = newClient({ baseUrl: proxy.url });
    const { playerId } = await game.signIn.withProvider(mock('soloist'));
    proxy.plan([{ match: 'POST /api/game/matches', action: 'drop_answer', times: 2 }]);
    const { matchSessionId } = await game.matches.create({ players: [{ playerId }] });
    const { rows } = await app.owner.query(
      'SELECT match_session_id FROM match_players WHERE player_id = $1',
      [playerId],
    );
    assert.deepEqual(rows, [{ match_session_id: matchSessionId }]);
    const other = newClient();
    const { playerId: otherId } = await other.signIn.withProvider(mock('guest'));
    await assert.rejects(
      game.matches.join(matchSessionId, { playerId: otherId }),
      failsWith('forbidden', 403),
    );
    assert.ok((await other.matches.join(matchSessionId, { playerId: otherId })).matchPlayerId);
  });
});

describe('createAssertion', () => {
  test('creates an assertion for one audience', async () => {
    const game = newClient();
    await game.signIn.withProvider(mock('asserted'));
    const { audience, refreshToken } = await game.createAssertion('https://shop.example');
    assert.deepEqual([audience, refreshToken], ['https://shop.example', undefined]);
    await assert.rejects(game.createAssertion(''), failsWith('invalid_request', 400));
  });
});

/** Makes the stored access token one that the client renews before its next request. */
async function expireToken(storage: ClientStorage): Promise<void> {
  const [[key, text]] = (await storage.list('', 1)) as [[string, string]];
  await storage.write({ [key]: JSON.stringify({ ...JSON.parse(text), expiresAt: Date.now() - 1 }) });
}

/** A client whose access token the server refuses: it must renew the session first. */
async function withRefusedToken(name: string | undefined) {
  const storage = memoryStorage();
  let wallet = new TestWallet();
  if (name) await newClient({ storage }).signIn.withProvider(mock(name));
  else wallet = (await knownInTwoWorkspaces({ storage })).wallet;
  const [[key, text]] = (await storage.list('', 1)) as [[string, string]];
  await storage.write({ [key]: JSON.stringify({ ...JSON.parse(text), accessToken: 'expired' }) });
  return { game: newClient({ storage }), storage, wallet };
}
