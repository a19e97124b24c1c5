import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { getAddress } from 'viem';
import { arrangeProvider, arrangeTenant, type TestTenant } from './arrange.ts';
import { someNetwork } from './email-player.ts';
import { startWalletIssuer, type WalletIssuer } from './providers/wallet-issuer.ts';
import type { TestApp } from './test-app.ts';

/** Returns a random address. */
export const someAddress = () => getAddress(`0x${randomBytes(20).toString('hex')}`);

export const PASSWORD = 'correct horse';

/** A tenant whose players sign in with JWTs of an issuer. */
export interface WalletTenant extends TestTenant {
  issuer: WalletIssuer;
}

/** The environment that allows an issuer on loopback. */
export const WALLET_ENV = { ALLOW_PRIVATE_ADDRESSES: 'on' };

/** Creates a tenant with a new issuer, or with an existing one. */
export async function arrangeWalletTenant(app: TestApp, known?: WalletIssuer): Promise<WalletTenant> {
  const tenant = await arrangeTenant(app);
  const issuer = known ?? (await startWalletIssuer());
  await arrangeProvider(app, tenant, 'WalletJwt', { issuer: issuer.issuer, audience: issuer.audience });
  return { ...tenant, issuer };
}

/** The recording calls of one player. */
export function walletPlayer(app: Pick<TestApp, 'http'>, bearer: string) {
  const post = (path: string) => (body: object) =>
    app.http.post(`/api/BlockchainStorage/${path}`, body, { bearer });
  return {
    bearer,
    setScore: post('players/set/score'),
    startSession: post('sessions/login/start'),
    endSession: post('sessions/login/end'),
    startMatch: post('match/sessions/start/singleplayer'),
    addRecord: post('records/match/add'),
    endPart: post('match/player/end'),
    endMatch: post('match/sessions/singleplayer/end'),
    read: (playerIndex: unknown) => app.http.get(`/api/BlockchainStorage/players/${playerIndex}`, { bearer }),
  };
}

export type WalletTestPlayer = ReturnType<typeof walletPlayer> & {
  playerIndex: number;
  playerId: string;
  address: string;
};

/** Sends a wallet login with a token that names an address. */
export async function logInWallet(
  { http }: Pick<TestApp, 'http'>,
  tenant: WalletTenant,
  address: string,
  subject = `subject of ${address}`,
) {
  const jwt = await tenant.issuer.tokenOf(subject, { wallet_address: address });
  return http.post('/api/Auth/wallet/login/wallet-jwt', { jwt }, { gameKey: tenant.gameKey });
}

/** Creates a player who has signed in with a wallet. */
export async function arrangeWalletPlayer(
  app: Pick<TestApp, 'http'>,
  tenant: WalletTenant,
  address: string = someAddress(),
): Promise<WalletTestPlayer> {
  const login = await logInWallet(app, tenant, address);
  assert.equal(login.status, 200, login.text);
  const { accessToken, playerIndex, playerId } = login.body;
  return { ...walletPlayer(app, accessToken), playerIndex, playerId, address };
}

/** Adds a player with a password. */
export function addAnonymous(
  { http }: Pick<TestApp, 'http'>,
  tenant: Pick<TestTenant, 'gameKey'>,
  given: Record<string, unknown> = {},
) {
  const body = {
    playerId: randomBytes(6).toString('hex'),
    playerAddress: someAddress(),
    signInPassword: PASSWORD,
    ...given,
  };
  // Each player comes from another network, because networks have limits. Only an application behind a proxy reads the header.
  const headers = { 'x-forwarded-for': someNetwork() };
  return http.post('/api/BlockchainStorage/players/add/anon', body, { gameKey: tenant.gameKey, headers });
}

/** A valid record, with some fields replaced. */
export const someRecord = (matchSessionId: number, given: Record<string, unknown> = {}) => ({
  matchSessionId,
  score: 10,
  key: 'coin',
  value: 'gold',
  otherPlayers: [],
  ...given,
});

export const somePart = (matchSessionId: number, given: Record<string, unknown> = {}) => ({
  matchSessionId,
  score: 10,
  winLoss: 1,
  matchPosition: 1,
  ...given,
});
