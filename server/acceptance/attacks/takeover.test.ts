import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { arrangeTenant, type Studio } from '../arrange.ts';
import { accepted, call } from '../http.ts';
import { startVictim } from './victim.ts';

// A hostile studio has the token of each player of its own game, and everything that its game client sees.

const { url, honest } = await startVictim();
const hostile = await arrangeTenant(url);
for (const { at, accessToken: bearer } of [honest, hostile])
  for (const provider of ['EvmWallet', 'EmailOneTimeCode'])
    await accepted('PUT', `${url}${at}/providers/${provider}`, { body: { enabled: true }, bearer });

const newWallet = () => privateKeyToAccount(generatePrivateKey());
type Wallet = ReturnType<typeof newWallet>;

async function signature(wallet: Wallet, { gameKey }: Studio) {
  const { body } = await call('POST', `${url}/api/player-auth/wallet/challenge`, {
    body: { address: wallet.address },
    gameKey,
  });
  return { message: body.message, signature: await wallet.signMessage({ message: body.message }) };
}
const signIn = async (wallet: Wallet, studio: Studio) =>
  call('POST', `${url}/api/player-auth/wallet/verify`, {
    body: await signature(wallet, studio),
    gameKey: studio.gameKey,
  });

const ME = `${url}/api/player-profile/me`;
const refusals = ['identity_proof_required', 'invalid_credentials'];

test('a studio cannot take over a player who also plays a game of another studio', async () => {
  const victim = newWallet();
  const { body: inHostileGame } = await signIn(victim, hostile);
  const { body: inHonestGame } = await signIn(victim, honest);
  assert.equal(inHostileGame.playerId, inHonestGame.playerId);
  const bearer = inHostileGame.accessToken;

  const own = newWallet();
  const seen = await signature(victim, hostile);
  const link = async (proof?: object) =>
    call('POST', `${ME}/auth-methods`, {
      body: { provider: 'EvmWallet', ...(await signature(own, hostile)), ...(proof && { proof }) },
      bearer,
    });
  const profile = await call('GET', ME, { bearer });
  const attacks = {
    'link an own wallet': await link(),
    'link it with a signature that the game has seen': await link({ provider: 'EvmWallet', ...seen }),
    'link it with a proof of the own wallet': await link({
      provider: 'EvmWallet',
      ...(await signature(own, hostile)),
    }),
    'remove the method of the victim': await call(
      'DELETE',
      `${ME}/auth-methods/${profile.body.authMethods[0].id}`,
      { bearer },
    ),
    'export everything': await call('GET', `${ME}/export`, { bearer }),
    'delete the profile': await call('DELETE', ME, { bearer }),
  };
  for (const [name, { status, body }] of Object.entries(attacks))
    assert.deepEqual([status, body.code], [403, 'identity_proof_required'], name);

  const signedIn = await signIn(own, honest);
  assert.notEqual(signedIn.body.playerId, inHonestGame.playerId);
  assert.equal((await signIn(victim, honest)).body.playerId, inHonestGame.playerId);
});

test('a studio cannot sign in to the game of another studio with a method that it linked first', async () => {
  const [victim, own] = [newWallet(), newWallet()];
  const { body: early } = await signIn(victim, hostile);
  const body = { provider: 'EvmWallet', ...(await signature(own, hostile)) };
  assert.equal((await call('POST', `${ME}/auth-methods`, { body, bearer: early.accessToken })).status, 201);
  const before = await signIn(own, honest);
  assert.deepEqual([before.status, before.body.code], [403, 'identity_proof_required']);
  const { body: inHonestGame } = await signIn(victim, honest);
  assert.equal(inHonestGame.playerId, early.playerId);
  const after = await signIn(own, honest);
  assert.ok(after.status >= 400 && refusals.includes(after.body.code), JSON.stringify(after.body));
});

test('a studio cannot block the device of a player in the games of another studio', async () => {
  const victim = newWallet();
  const deviceInfo = { deviceFingerprint: `device-of-${victim.address}` };
  const signInFromDevice = async (studio: Studio) =>
    call('POST', `${url}/api/player-auth/wallet/verify`, {
      body: { ...(await signature(victim, studio)), deviceInfo },
      gameKey: studio.gameKey,
    });
  const { accessToken: bearer } = (await signInFromDevice(hostile)).body;
  const { refreshToken } = (await signInFromDevice(honest)).body;
  const devices = `${url}/api/player/devices`;
  const [device] = await accepted('GET', devices, { bearer });
  const block = await call('PATCH', `${devices}/${device.id}`, {
    body: { isBlocked: true },
    bearer,
  });
  assert.deepEqual([block.status, block.body.code], [403, 'identity_proof_required']);
  assert.equal((await signInFromDevice(honest)).status, 200);
  const { gameKey } = honest;
  const refreshed = await call('POST', `${url}/api/player-auth/refresh`, { body: { refreshToken }, gameKey });
  assert.equal(refreshed.status, 200);
});
