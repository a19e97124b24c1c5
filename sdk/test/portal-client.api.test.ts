import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { arrangeStoreAPlayer, arrangeTenant } from '../../server/src/testing/arrange.ts';
import { emailClient, someNetwork } from '../../server/src/testing/email-player.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { someEmail } from '../../server/src/testing/mailbox.ts';
import { startStoreAOpenId } from '../../server/src/testing/providers/store-a-openid.ts';
import { startTestApp, startTestWorker } from '../../server/src/testing/test-app.ts';
import { startFaultProxy } from '../conformance/fault-proxy.ts';
import {
  createPortalClient,
  type GuildhallError,
  memoryStorage,
  type PortalClientOptions,
} from '../src/index.ts';
import { OWN_SESSION, trackCalls } from './called-methods.ts';
import { failsWith } from './fails-with.ts';
import { assertServerTime } from './server-time.ts';

const store = await startStoreAOpenId();
const app = await startTestApp({
  env: { STORE_A_OPENID_URL: store.url, PORTAL_URL: 'https://portal.example', TRUST_PROXY: 'on' },
});
await startTestWorker(app);
const proxy = await startFaultProxy(app.url);
after(() => proxy.close());
const { mailsTo, secretTo, codeFor, exchange } = await emailClient(app);
const tenants = [
  await arrangeTenant(app, { providers: ['EmailOneTimeCode', 'Mock'] }),
  await arrangeTenant(app, { providers: ['EmailOneTimeCode', 'Mock'] }),
];

/** `profile` and `api` are tested with a player client: both have the same methods. */
const tracked = trackCalls([...OWN_SESSION, 'profile.', 'api.']);
const newPortal = (options: Partial<PortalClientOptions> = {}) =>
  tracked(
    createPortalClient({
      baseUrl: app.url,
      // Limits of mails and sign-ins count by network.
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...init?.headers, 'x-forwarded-for': someNetwork() } }),
      ...options,
    }),
  );

/** A player with a verified address, whom games of two workspaces know. */
async function newPlayer() {
  const email = someEmail();
  let playerId = '';
  for (const tenant of tenants) {
    const { body } = await exchange(email, await codeFor(email, tenant), tenant);
    playerId = body.playerId;
  }
  return { email, playerId };
}

async function portalCode(email: string, portal = newPortal()): Promise<string> {
  await app.owner.query(
    `UPDATE one_time_codes SET sent_at = sent_at - interval '1 minute' WHERE email = $1`,
    [email],
  );
  const before = (await mailsTo(email)).length;
  const { resendAfterSeconds } = await portal.sendCode(email);
  assert.equal(resendAfterSeconds, 30);
  await eventually(async () => (await mailsTo(email)).length > before);
  return secretTo(email);
}

describe('sign-in with a code', () => {
  test('starts a session, changes the profile without a proof, and ends', async () => {
    const { email, playerId } = await newPlayer();
    const storage = memoryStorage();
    const portal = newPortal({ storage });
    const seen: (string | undefined)[] = [];
    const ended: string[] = [];
    portal.session.subscribe((player) => seen.push(player?.playerId));
    portal.session.onSessionEnded(({ reason }) => ended.push(reason));
    const code = await portalCode(email, portal);
    assert.deepEqual(await portal.signInWithCode({ email, code }), { playerId });
    assert.deepEqual(await newPortal({ storage }).session.load(), { playerId });
    await assertServerTime(storage, () => newPortal({ storage }));
    assert.equal((await portal.profile.update({ displayName: 'Ada' })).displayName, 'Ada');
    assert.equal((await portal.profile.listTenants()).length, 2);
    assert.ok(await portal.profile.exportData());
    assert.equal((await portal.api.GET('/api/player-profile/me')).id, playerId);
    const [[, text]] = (await storage.list('', 1)) as [[string, string]];
    await portal.signOut();
    assert.deepEqual([seen, ended], [[playerId, undefined], ['signed_out']]);
    // The refresh token ended on the server too.
    const { refreshToken } = JSON.parse(text);
    const refused = await app.http.post('/api/player-portal-auth/refresh', { refreshToken });
    assert.equal(refused.body.code, 'invalid_refresh_token');
    await portal.signOut();
  });

  test('refuses wrong and used codes, and people who never played', async () => {
    const { email } = await newPlayer();
    const portal = newPortal();
    const code = await portalCode(email, portal);
    const wrong = code === '000000' ? '111111' : '000000';
    const refused = failsWith('invalid_credentials', 401);
    await assert.rejects(portal.signInWithCode({ email, code: wrong }), refused);
    await portal.signInWithCode({ email, code });
    await assert.rejects(newPortal().signInWithCode({ email, code }), refused);
    const stranger = someEmail();
    await portal.sendCode(stranger);
    await assert.rejects(newPortal().signInWithCode({ email: stranger, code }), refused);
    await assert.rejects(portal.signInWithCode({ email, code: 'six' }), failsWith('invalid_request', 400));
    assert.ok(portal.session.current, 'a wrong code ends no session');
  });

  test('stays signed in when the answers of refreshes are lost', async () => {
    const { email, playerId } = await newPlayer();
    const storage = memoryStorage();
    const kept = { storage, storageKey: 'portal' };
    const portal = newPortal(kept);
    await portal.signInWithCode({ email, code: await portalCode(email) });
    const [[key, text]] = (await storage.list('', 1)) as [[string, string]];
    await storage.write({ [key]: JSON.stringify({ ...JSON.parse(text), expiresAt: Date.now() - 1 }) });
    proxy.plan([
      { match: 'POST /api/player-portal-auth/refresh', action: 'drop_answer' },
      { match: 'POST /api/player-portal-auth/refresh', action: 'cut_answer' },
      { match: 'POST /api/player-portal-auth/refresh', action: 'answer_200' },
    ]);
    const again = newPortal({ ...kept, baseUrl: proxy.url });
    assert.equal((await again.profile.get()).id, playerId);
    assert.deepEqual(again.session.current, { playerId });
  });
});

describe('sign-in with StoreA', () => {
  test('signs in the player who came back from the store', async () => {
    const { accountId, playerId } = await arrangeStoreAPlayer(app);
    const portal = newPortal();
    const { authUrl } = await portal.startStoreA();
    const callbackUrl = await store.browse(authUrl, accountId);
    assert.deepEqual(await portal.finishStoreA(callbackUrl, authUrl), { playerId });
    assert.equal((await portal.profile.get()).id, playerId);
    await assert.rejects(portal.finishStoreA(callbackUrl, authUrl), failsWith('invalid_credentials', 401));
  });

  test('sends nothing to the server if the sign-in was not started on this page', async () => {
    const { accountId } = await arrangeStoreAPlayer(app);
    const attacker = newPortal();
    const started = await attacker.startStoreA();
    const callbackUrl = await store.browse(started.authUrl, accountId);
    const portal = newPortal({
      fetch: async () => assert.fail('a request was sent'),
    });
    const own = (await newPortal().startStoreA()).authUrl;
    // A page that lost its `sessionStorage` has null.
    const lost = null as unknown as string;
    for (const [address, authUrl] of [
      [callbackUrl, own],
      [callbackUrl, ''],
      [callbackUrl, lost],
      [callbackUrl, 'https://store.example/?openid.return_to=https://portal.example'],
      ['https://portal.example/sign-in/store-a', 'https://store.example/?openid.return_to=x'],
      ['no address', own],
    ] as const)
      await assert.rejects(portal.finishStoreA(address, authUrl), /was not started on this page/);
    assert.equal(portal.session.current, undefined);
  });

  test('distinguishes a store that does not answer from a wrong sign-in', async () => {
    const { accountId } = await arrangeStoreAPlayer(app);
    const portal = newPortal();
    const { authUrl } = await portal.startStoreA();
    const callbackUrl = await store.browse(authUrl, accountId);
    store.answerNext((response) => response.writeHead(500).end());
    await assert.rejects(portal.finishStoreA(callbackUrl, authUrl), (error: GuildhallError) => {
      assert.deepEqual([error.code, error.status], ['provider_unavailable', 502]);
      return error.isUncertain;
    });
  });
});
