import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeProvider, arrangeTenant } from '../../../testing/arrange.ts';
import { newStoreAUser, startStoreA } from '../../../testing/providers/store-a.ts';
import { newStoreBUser, startStoreB } from '../../../testing/providers/store-b.ts';
import { startWalletIssuer } from '../../../testing/providers/wallet-issuer.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const storeA = await startStoreA();
const storeB = await startStoreB();
const wallet = await startWalletIssuer();
const app = await startTestApp({
  env: { STORE_A_URL: storeA.url, STORE_B_URL: storeB.url, ALLOW_PRIVATE_ADDRESSES: 'on' },
});
const tenant = await arrangeTenant(app, { providers: ['EvmWallet'] });
await arrangeProvider(app, tenant, 'StoreA', { appId: storeA.appId, webApiKey: storeA.webApiKey });
await arrangeProvider(app, tenant, 'StoreB', { clientId: storeB.clientId });
await arrangeProvider(app, tenant, 'WalletJwt', { issuer: wallet.issuer, audience: wallet.audience });

const exists = (provider: string, providerUserId: unknown, caller: object = tenant) =>
  app.http.post('/api/player-auth/players/exists', { provider, providerUserId }, caller);
const signIn = async (provider: string, token: string): Promise<string> => {
  const answer = await app.http.post('/api/player-auth/login', { provider, token }, tenant);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.playerId;
};

describe('POST /api/player-auth/players/exists', () => {
  test('finds a store’s player by id, without a request to the store', async () => {
    const [a, b] = [newStoreAUser(), newStoreBUser()];
    const players = {
      StoreA: await signIn('StoreA', storeA.ticketOf(a)),
      StoreB: await signIn('StoreB', storeB.tokenOf(b)),
    };
    const asked = storeA.requests.length + storeB.requests.length;
    for (const [provider, userId] of [
      ['StoreA', a],
      ['StoreB', b],
    ] as const) {
      const found = await exists(provider, ` ${userId} `);
      assert.deepEqual([found.status, found.body], [200, { playerId: players[provider] }]);
      const missing = await exists(provider, `${userId}0`);
      assert.deepEqual([missing.status, missing.body.code], [404, 'player_not_found']);
    }
    assert.equal((await exists('StoreA', b)).status, 404, 'an id of the other store');
    assert.equal(storeA.requests.length + storeB.requests.length, asked);
  });

  test('finds a WalletJwt subject of the tenant’s issuer only', async () => {
    const playerId = await signIn('WalletJwt', await wallet.tokenOf('ada'));
    assert.deepEqual((await exists('WalletJwt', 'ada')).body, { playerId });
    assert.equal((await exists('WalletJwt', 'Ada')).status, 404);

    const other = await startWalletIssuer();
    const stranger = await arrangeTenant(app, { providers: ['StoreA'] });
    assert.equal((await exists('WalletJwt', 'ada', stranger)).status, 422, 'not enabled');
    assert.equal((await exists('StoreA', '1', stranger)).status, 422, 'not configured');
    await arrangeProvider(app, stranger, 'WalletJwt', { issuer: other.issuer, audience: 'a-game' });
    assert.equal(
      (await exists('WalletJwt', 'ada', stranger)).status,
      404,
      'the same subject of another issuer',
    );
  });

  async function arrangeWallet(providerUserId: string): Promise<string> {
    const playerId = randomUUID();
    await app.owner.query('INSERT INTO players (id, created_at) VALUES ($1, now())', [playerId]);
    await app.owner.query(
      `INSERT INTO auth_methods (id, player_id, auth_provider, provider_user_id, linked_at)
     VALUES ($1, $2, 'EvmWallet', $3, now())`,
      [randomUUID(), playerId, providerUserId],
    );
    return playerId;
  }

  test('finds a wallet by its address in either letter case and with its checksum', async () => {
    const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    assert.equal((await exists('EvmWallet', address)).status, 404);
    const playerId = await arrangeWallet(address);
    const digits = address.slice(2);
    for (const written of [digits, digits.toLowerCase(), digits.toUpperCase()])
      assert.deepEqual((await exists('EvmWallet', ` 0x${written} `)).body, { playerId });
    const wrongChecksum = address.replace('aA', 'AA');
    for (const text of [
      digits,
      `${address}0`,
      '0x',
      'nobody.eth',
      `0X${digits}`,
      wrongChecksum,
      `eip155:1:${address}`,
    ]) {
      const answer = await exists('EvmWallet', text);
      assert.deepEqual([answer.status, answer.body.code], [404, 'player_not_found'], text);
    }
  });

  test('finds a contract wallet by its chain and address', async () => {
    const address = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
    const playerId = await arrangeWallet(`eip155:137:${address}`);
    for (const id of [`eip155:137:${address}`, `EIP155:137:${address.toLowerCase()}`])
      assert.deepEqual((await exists('EvmWallet', id)).body, { playerId });
    for (const id of [
      address,
      `eip155:1:${address}`,
      `eip155:0137:${address}`,
      `eip155::${address}`,
      `eip155:137:${address}0`,
    ])
      assert.equal((await exists('EvmWallet', id)).status, 404, id);
  });
});
