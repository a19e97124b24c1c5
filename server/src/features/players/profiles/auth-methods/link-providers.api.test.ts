import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  arrangePlayer,
  arrangeProvider,
  arrangeStoreAPlayer,
  arrangeTenant,
} from '../../../../testing/arrange.ts';
import type { Caller } from '../../../../testing/http-client.ts';
import { startStoreAOpenId } from '../../../../testing/providers/store-a-openid.ts';
import { newStoreAUser, startStoreA } from '../../../../testing/providers/store-a.ts';
import { newStoreBUser, startStoreB } from '../../../../testing/providers/store-b.ts';
import { startWalletIssuer } from '../../../../testing/providers/wallet-issuer.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { signChallenge, someWallet, walletProof } from '../../../../testing/wallets.ts';

const [storeA, openId, storeB, issuer] = await Promise.all([
  startStoreA(),
  startStoreAOpenId(),
  startStoreB(),
  startWalletIssuer(),
]);
const app = await startTestApp({
  env: {
    STORE_A_URL: storeA.url,
    STORE_A_OPENID_URL: openId.url,
    STORE_B_URL: storeB.url,
    ALLOW_PRIVATE_ADDRESSES: 'on',
    LOG_LEVEL: 'silent',
  },
});
const tenant = await arrangeTenant(app, { providers: ['Mock', 'EvmWallet'] });
await arrangeProvider(app, tenant, 'StoreA', { appId: storeA.appId, webApiKey: storeA.webApiKey });
await arrangeProvider(app, tenant, 'StoreB', { clientId: storeB.clientId });
await arrangeProvider(app, tenant, 'WalletJwt', {
  issuer: issuer.issuer,
  audience: issuer.audience,
  addressClaim: 'wallet',
});

const ME = '/api/player-profile/me';
const link = (credential: object, caller: Caller) => app.http.post(`${ME}/auth-methods`, credential, caller);
const logIn = (body: object) => app.http.post('/api/player-auth/login', body, tenant);
const newPlayer = async () => {
  const { playerId, username, accessToken } = await arrangePlayer(app, tenant);
  return { playerId, username, bearer: accessToken };
};

/** The credential of a wallet, with a signed challenge. */
async function walletCredential(wallet = someWallet()) {
  const { message, signature } = await signChallenge(app, tenant, wallet);
  return { provider: 'EvmWallet', message, signature };
}

/** The callback URL to which the store redirects an account. */
async function storeACallback(accountId: string): Promise<string> {
  const { body } = await app.http.post('/api/player-portal-auth/storea/start');
  return openId.browse(body.authUrl, accountId);
}

/** A player with a portal session. */
async function portalPlayer() {
  const { playerId, accountId } = await arrangeStoreAPlayer(app);
  const callbackUrl = await storeACallback(accountId);
  const { status, body, text } = await app.http.post('/api/player-portal-auth/storea/exchange', {
    callbackUrl,
  });
  assert.equal(status, 200, text);
  const { accessToken, refreshToken } = body as Record<string, string>;
  return { playerId, accountId, bearer: accessToken!, refreshToken: refreshToken! };
}

const newAccount = () => `7656119${String(randomInt(1e10)).padStart(10, '0')}`;

/** A token of a new user of the provider. */
const tokenProviders = {
  StoreA: async () => storeA.ticketOf(newStoreAUser()),
  StoreB: async () => storeB.tokenOf(newStoreBUser()),
  WalletJwt: () => issuer.tokenOf(randomUUID()),
};

describe('POST /api/player-profile/me/auth-methods and /merge', () => {
  for (const [provider, newToken] of Object.entries(tokenProviders)) {
    test(`${provider}: links the owner of a valid token`, async () => {
      const player = await newPlayer();
      const token = await newToken();
      const linked = await link({ provider, token, setAsPrimary: true }, player);
      assert.equal(linked.status, 201, linked.text);
      assert.deepEqual([linked.body.authProvider, linked.body.isPrimary], [provider, true]);
      assert.equal((await logIn({ provider, token })).body.playerId, player.playerId);
      const taken = await link({ provider, token }, await newPlayer());
      assert.deepEqual([taken.status, taken.body.code], [400, 'auth_method_taken']);
      for (const bad of ['nonsense', `${token}x`]) {
        const refused = await link({ provider, token: bad }, player);
        assert.deepEqual([refused.status, refused.body.code], [400, 'credential_refused'], bad);
      }
    });

    test(`${provider}: merges a profile with a valid token of it`, async () => {
      const target = await newPlayer();
      const token = await newToken();
      const { body: source } = await logIn({ provider, token });
      const merge = (sourceAuthToken: string) =>
        app.http.post(
          `${ME}/merge`,
          { sourceProfileId: source.playerId, sourceProvider: provider, sourceAuthToken },
          target,
        );
      assert.equal((await merge(await newToken())).body.code, 'merge_refused', 'a token of another user');
      const merged = await merge(token);
      assert.equal(merged.status, 200, merged.text);
      assert.deepEqual(merged.body.mergedProfileIds, [source.playerId]);
      assert.equal((await logIn({ provider, token })).body.playerId, target.playerId);
    });
  }

  test('refuse a merge of a profile that only another workspace knows without a proof of it', async () => {
    const elsewhere = await arrangeTenant(app, { providers: ['EvmWallet'] });
    await arrangeProvider(app, elsewhere, 'StoreA', { appId: storeA.appId, webApiKey: storeA.webApiKey });
    for (const [here, there] of [
      [tenant, elsewhere],
      [elsewhere, tenant],
    ] as const) {
      const credential = { provider: 'StoreA', token: await tokenProviders.StoreA() };
      const logInThere = () => app.http.post('/api/player-auth/login', credential, there);
      const { playerId } = (await logInThere()).body;
      const wallet = someWallet();
      const signed = await signChallenge(app, here, wallet);
      const { accessToken } = (await app.http.post('/api/player-auth/wallet/verify', signed, here)).body;
      const proof = await walletProof(app, wallet);
      for (const proofs of [{}, { proof }]) {
        const merge = {
          sourceProfileId: playerId,
          sourceProvider: 'StoreA',
          sourceAuthToken: credential.token,
        };
        const refused = await app.http.post(`${ME}/merge`, { ...merge, ...proofs }, { bearer: accessToken });
        assert.deepEqual([refused.status, refused.body.code], [403, 'identity_proof_required']);
        assert.match(refused.body.detail, /needs a proof of it, as sourceProof/);
      }
      assert.equal((await logInThere()).body.playerId, playerId);
    }
  });

  test('return 502 when the provider does not answer', async () => {
    const player = await newPlayer();
    storeB.fail('broken');
    try {
      const token = storeB.tokenOf(newStoreBUser());
      const merge = { sourceProfileId: randomUUID(), sourceProvider: 'StoreB', sourceAuthToken: token };
      for (const answer of [
        await link({ provider: 'StoreB', token }, player),
        await app.http.post(`${ME}/merge`, merge, player),
      ])
        assert.deepEqual([answer.status, answer.body.code], [502, 'provider_unavailable']);
    } finally {
      storeB.fail('never');
    }
  });
});

describe('POST /api/player-profile/me/auth-methods', () => {
  test('stores the wallet address that the issuer’s token contains', async () => {
    const player = await newPlayer();
    const wallet = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    const { body } = await link(
      { provider: 'WalletJwt', token: await issuer.tokenOf('w', { wallet }) },
      player,
    );
    const { rows } = await app.owner.query('SELECT wallet_address FROM auth_methods WHERE id = $1', [
      body.id,
    ]);
    assert.deepEqual(rows, [{ wallet_address: wallet }]);
  });

  test('EvmWallet: links the wallet of a signed challenge, once', async () => {
    const player = await newPlayer();
    const wallet = someWallet();
    const credential = await walletCredential(wallet);
    const linked = await link(credential, player);
    assert.equal(linked.status, 201, linked.text);
    assert.deepEqual([linked.body.authProvider, linked.body.providerUserId], ['EvmWallet', wallet.address]);
    const replayed = await link(credential, player);
    assert.deepEqual([replayed.status, replayed.body.code], [400, 'credential_refused']);

    const signed = await signChallenge(app, tenant, wallet);
    const login = await app.http.post('/api/player-auth/wallet/verify', signed, tenant);
    assert.equal(login.body.playerId, player.playerId);

    const theirs = await link(await walletCredential(wallet), await newPlayer());
    assert.equal(theirs.body.code, 'auth_method_taken');
  });

  test('EvmWallet: returns 400 for a wrong signature, another tenant’s challenge and missing fields', async () => {
    const player = await newPlayer();
    const credential = await walletCredential();
    const other = await walletCredential();
    const forged = await link({ ...credential, signature: other.signature }, player);
    assert.deepEqual([forged.status, forged.body.code], [400, 'credential_refused']);
    const elsewhere = await arrangeTenant(app, { providers: ['Mock', 'EvmWallet'] });
    const { accessToken } = await arrangePlayer(app, elsewhere);
    const foreign = await link(other, { bearer: accessToken });
    assert.deepEqual([foreign.status, foreign.body.code], [400, 'credential_refused']);
    for (const missing of ['message', 'signature']) {
      const partial = await link({ ...credential, [missing]: undefined, token: 'mock:a:b' }, player);
      assert.deepEqual(
        [partial.body.code, partial.body.errors],
        ['invalid_request', [{ path: missing, message: 'is missing' }]],
      );
    }
  });

  test('does not use up the credential of a caller who may not link', async () => {
    const player = await newPlayer();
    const credential = await walletCredential();
    await app.http.delete(ME, player);
    assert.equal((await link(credential, player)).body.code, 'profile_deleted');
    assert.equal((await link(credential, await newPlayer())).status, 201);
  });
});

describe('a portal token', () => {
  test('links and merges with the operator’s StoreA, and with no other provider', async () => {
    const player = await portalPlayer();
    const accountId = newAccount();
    const linked = await link({ provider: 'StoreA', token: await storeACallback(accountId) }, player);
    assert.equal(linked.status, 201, linked.text);
    assert.equal(linked.body.providerUserId, accountId);

    const source = await arrangeStoreAPlayer(app);
    const token = await storeACallback(source.accountId);
    const merge = { sourceProfileId: source.playerId, sourceProvider: 'StoreA', sourceAuthToken: token };
    const merged = await app.http.post(`${ME}/merge`, merge, player);
    assert.equal(merged.status, 200, merged.text);
    assert.equal(merged.body.authMethods.length, 3);
    assert.equal(
      (await app.http.post(`${ME}/merge`, merge, player)).body.code,
      'credential_refused',
      'the token was used before',
    );

    const credential = await walletCredential();
    for (const other of [
      { provider: 'StoreA', token: 'nonsense' },
      { provider: 'StoreA', token: `https://example.com/?${new URLSearchParams(token.split('?')[1])}` },
      { provider: 'StoreA', token: storeA.ticketOf(newStoreAUser()) },
      { provider: 'StoreB', token: storeB.tokenOf(newStoreBUser()) },
      { provider: 'WalletJwt', token: await issuer.tokenOf('x') },
      { provider: 'Mock', token: 'mock:a:b' },
      credential,
    ]) {
      const refused = await link(other, player);
      assert.deepEqual([refused.status, refused.body.code], [400, 'credential_refused'], other.provider);
    }
  });

  test('stops working when its profile or session ends', async () => {
    const refresh = (refreshToken: string) =>
      app.http.post('/api/player-portal-auth/refresh', { refreshToken });
    const [deleted, merged, target, left] = [
      await portalPlayer(),
      await portalPlayer(),
      await portalPlayer(),
      await portalPlayer(),
    ];
    assert.equal((await app.http.delete(ME, deleted)).status, 204);
    const { rows } = await app.owner.query(
      'SELECT tenant_id, action FROM audit_records WHERE target_id = $1',
      [deleted.playerId],
    );
    assert.deepEqual(rows, [{ tenant_id: null, action: 'player.self_deleted' }]);
    const token = await storeACallback(merged.accountId);
    const merge = { sourceProfileId: merged.playerId, sourceProvider: 'StoreA', sourceAuthToken: token };
    assert.equal((await app.http.post(`${ME}/merge`, merge, target)).status, 200);
    for (const { refreshToken } of [deleted, merged]) assert.equal((await refresh(refreshToken)).status, 401);
    assert.equal((await refresh(target.refreshToken)).status, 200);

    await app.http.post('/api/player-portal-auth/logout', { refreshToken: left.refreshToken });
    for (const refused of [
      await link({ provider: 'StoreA', token: await storeACallback(newAccount()) }, left),
      await app.http.get(`${ME}/export`, left),
      await app.http.delete(ME, left),
    ])
      assert.deepEqual([refused.status, refused.body.code], [401, 'invalid_bearer']);
    assert.equal((await app.http.get(ME, left)).body.isActive, true, 'the token still reads the profile');
  });
});
