import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { newOpaqueToken } from '../src/security/opaque-tokens.ts';
import { ACCOUNT_PASSWORD, accountClient, authenticatorCode } from '../src/testing/account-client.ts';
import { someStoreAAccount } from '../src/testing/arrange.ts';
import { smallPicture, uploadAvatar } from '../src/testing/avatars.ts';
import { emailClient, PASSWORD, someNetwork } from '../src/testing/email-player.ts';
import type { Answer, Caller } from '../src/testing/http-client.ts';
import { arrangeInvitation } from '../src/testing/invitations.ts';
import { someEmail } from '../src/testing/mailbox.ts';
import { someEvents } from '../src/testing/player-events.ts';
import { vault } from '../src/testing/test-vault.ts';
import {
  addAnonymous,
  arrangeWalletPlayer,
  someAddress,
  somePart,
  someRecord,
} from '../src/testing/wallet-recording.ts';
import type { MakeRequest } from './valid-request.ts';
import { someText, type Studio, type World } from './world.ts';

const ME = '/api/player-profile/me';
const PORTAL_TENANT = '00000000-0000-0000-0000-000000000000';
const AUDIENCE = 'https://shop.example';

/** The body of an accepted response. */
function accepted({ status, text, body }: Answer) {
  assert.ok(status < 300, text);
  return body;
}

/** A signed-in player with a device. */
export interface Player {
  username: string;
  playerId: string;
  sessionId: string;
  accessToken: string;
  refreshToken: string;
  caller: Caller;
}

/** The data of the requests of players, for other requests that need players too. */
export interface PlayerRequests {
  requests: Record<string, MakeRequest>;
  newPlayer(studio: Studio, username?: string): Promise<Player>;
  newMatch(studio: Studio): Promise<{ player: Player; matchSessionId: string; matchPlayerId: string }>;
  newEvents(studio: Studio): Promise<{ player: Player; matchSessionId: string }>;
}

/** Makes a valid request of each operation that takes no console account. */
export async function playerRequests(world: World): Promise<PlayerRequests> {
  const { app, store } = world;
  const { http, owner } = app;
  const mail = await emailClient(app);
  const accounts = await accountClient(app, someNetwork);
  /** A caller from a network of its own. */
  const from = (caller: Caller): Caller => ({ ...caller, headers: { 'x-forwarded-for': someNetwork() } });
  const auth = async ({ tenant }: Studio, path: string, body?: object, caller: Caller = {}) =>
    accepted(await http.post(`/api/player-auth/${path}`, body, from({ gameKey: tenant.gameKey, ...caller })));
  const portal = async (path: string, body?: object) =>
    accepted(await http.post(`/api/player-portal-auth/${path}`, body, from({})));

  const newPlayer: PlayerRequests['newPlayer'] = async (studio, username = someText()) => {
    const login = await auth(studio, 'login', {
      provider: 'Mock',
      token: `mock:${username}:secret`,
      deviceInfo: { deviceFingerprint: `device of ${username}` },
      clientInfo: { platform: 'PC_Windows' },
    });
    const { accessToken } = login;
    return { ...login, username, caller: { gameKey: studio.tenant.gameKey, bearer: accessToken } };
  };
  const asPlayer = ({ accessToken }: Player) => ({ credentials: { player: accessToken } });

  const newMatch: PlayerRequests['newMatch'] = async (studio) => {
    const player = await newPlayer(studio);
    const body = { players: [{ playerId: player.playerId }] };
    const { matchSessionId, players } = accepted(
      await http.post('/api/game/matches', body, { gameKey: studio.tenant.gameKey }),
    );
    return { player, matchSessionId, matchPlayerId: players[0].matchPlayerId };
  };
  const matchEvents = (matchSessionId: string, matchPlayerId: string) =>
    someEvents('', 2).map(({ playerId: _, ...event }) => ({ ...event, matchSessionId, matchPlayerId }));
  // A definition that was created for match events does not take player events.
  const playerEvents = (playerId: string, number: number) =>
    someEvents(playerId, number).map((event) => ({ ...event, eventKey: 'climb' }));
  const newEvents: PlayerRequests['newEvents'] = async (studio) => {
    const { player, matchSessionId, matchPlayerId } = await newMatch(studio);
    const events = matchEvents(matchSessionId, matchPlayerId);
    accepted(await http.post('/api/game/events', { events }, player.caller));
    accepted(
      await http.post('/api/game/player-events', { events: playerEvents(player.playerId, 2) }, player.caller),
    );
    return { player, matchSessionId };
  };

  const newWallet = () => privateKeyToAccount(generatePrivateKey());
  /** An address with a password. */
  const newEmailPlayer = async (studio: Studio) => {
    const [email, password] = [someEmail(), `${PASSWORD} ${someText()}`];
    const { playerId, accessToken } = await auth(studio, 'email/signup', { email, password });
    return { email, password, playerId: playerId as string, accessToken: accessToken as string };
  };
  const newAssertion = async (studio: Studio) => {
    const { caller } = await newPlayer(studio);
    const body = { audience: AUDIENCE, includeRefreshToken: true };
    return auth(studio, 'jwt/exchange', body, caller);
  };
  const newAuthMethod = async (studio: Studio) => {
    const player = await newPlayer(studio);
    const body = { provider: 'Mock', token: `mock:${someText()}:secret` };
    const { id } = accepted(await http.post(`${ME}/auth-methods`, body, player.caller));
    return { path: { authMethodId: id as string }, body: {}, ...asPlayer(player) };
  };
  const newStoreAPlayer = async (studio: Studio) => {
    const { playerId } = await newPlayer(studio);
    const accountId = someStoreAAccount();
    await owner.query(
      `INSERT INTO auth_methods (id, player_id, auth_provider, provider_user_id, linked_at)
       VALUES ($1, $2, 'StoreA', $3, now())`,
      [randomUUID(), playerId, accountId],
    );
    const { authUrl } = await portal('storea/start');
    return { callbackUrl: await store.browse(authUrl, accountId) };
  };
  const newPortalSession = async (studio: Studio) =>
    portal('storea/exchange', await newStoreAPlayer(studio)) as Promise<Record<string, string>>;

  const newWalletPlayer = async (studio: Studio) => {
    const player = await arrangeWalletPlayer(app, studio.tenant);
    return { player, credentials: { walletPlayer: player.bearer } };
  };
  const newWalletMatch = async (studio: Studio) => {
    const { player, credentials } = await newWalletPlayer(studio);
    const { matchSessionId } = accepted(await player.startMatch({ level: 'x' }));
    return { player, matchSessionId: matchSessionId as number, credentials };
  };
  const newNamedWallet = async ({ tenant }: Studio) => {
    const named = { playerId: someText(), playerAddress: someAddress(), signInPassword: PASSWORD };
    const { transactionHash } = accepted(await addAnonymous(app, tenant, named));
    return { ...named, transactionHash: transactionHash as string };
  };
  /** A lookup by a game key, or as a wallet-linked player. */
  const walletRead = async (studio: Studio, request: object) => ({
    ...request,
    credentials: (await newWalletPlayer(studio)).credentials,
  });

  const issueAccountToken = async (purpose: 'reset' | 'link', accountId: string): Promise<string> => {
    const token = newOpaqueToken(purpose);
    await owner.query(
      `INSERT INTO account_tokens (token_hash, account_id, purpose, expires_at)
       VALUES ($1, $2, $3, now() + interval '1 hour')`,
      [vault.fingerprint(token), accountId, purpose],
    );
    return token;
  };

  const requests: Record<string, MakeRequest> = {
    getMetrics: async () => ({}),
    getLiveness: async () => ({}),
    getReadiness: async () => ({}),
    getPublicKeys: async () => ({}),

    logInPlayer: async (studio) => {
      const { username } = await newPlayer(studio);
      return { body: { provider: 'Mock', token: `mock:${username}:secret` } };
    },
    createPlayer: async () => ({ body: { provider: 'Mock', token: `mock:${someText()}:secret` } }),
    getPlayerByProvider: async (studio) => {
      const { username } = await newPlayer(studio);
      return { body: { provider: 'Mock', providerUserId: username } };
    },
    createWalletChallenge: async () => ({ body: { address: newWallet().address } }),
    logInPlayerByWallet: async (studio) => {
      const wallet = newWallet();
      const { message } = await auth(studio, 'wallet/challenge', { address: wallet.address });
      return { body: { message, signature: await wallet.signMessage({ message }) } };
    },
    sendOneTimeCode: async () => ({ body: { email: someEmail() } }),
    logInPlayerByCode: async ({ tenant }) => {
      const email = someEmail();
      return { body: { email, code: await mail.codeFor(email, tenant) } };
    },
    signUpPlayer: async () => ({ body: { email: someEmail(), password: PASSWORD } }),
    logInPlayerByPassword: async (studio) => {
      const { email, password } = await newEmailPlayer(studio);
      return { body: { email, password } };
    },
    verifyPlayerEmail: async (studio) => {
      const { email } = await newEmailPlayer(studio);
      return { body: { token: await mail.secretTo(email) } };
    },
    resendPlayerVerification: async (studio) => {
      const { accessToken } = await newEmailPlayer(studio);
      return { credentials: { player: accessToken } };
    },
    requestPlayerPasswordReset: async (studio) => {
      const { email } = await newEmailPlayer(studio);
      return { body: { email } };
    },
    resetPlayerPassword: async (studio) => {
      const { email, playerId } = await newEmailPlayer(studio);
      const token = newOpaqueToken('reset');
      await owner.query(
        `INSERT INTO email_tokens (tenant_id, token_hash, purpose, email, player_id, expires_at)
         VALUES ($1, $2, 'reset', $3, $4, now() + interval '1 hour')`,
        [studio.tenant.tenantId, vault.fingerprint(token), email, playerId],
      );
      return { body: { token, newPassword: `${PASSWORD} 2` } };
    },
    createLoginChallenge: async () => ({ body: { provider: 'EvmWallet', subject: newWallet().address } }),
    logInPlayerByChallenge: async (studio) => {
      const wallet = newWallet();
      const body = { provider: 'EvmWallet', subject: wallet.address };
      const { challengeId, message } = await auth(studio, 'challenge', body);
      return { body: { challengeId, response: await wallet.signMessage({ message }) } };
    },
    refreshPlayerSession: async (studio) => ({
      headers: { 'idempotency-key': someText() },
      body: { refreshToken: (await newPlayer(studio)).refreshToken },
    }),
    verifyPlayer: async (studio) => asPlayer(await newPlayer(studio)),
    logOutPlayer: async (studio) => {
      const player = await newPlayer(studio);
      return { body: { sessionId: player.sessionId }, ...asPlayer(player) };
    },
    createAssertion: async (studio) => ({
      headers: { 'idempotency-key': someText() },
      body: { audience: AUDIENCE },
      credentials: {
        player: (await newPlayer(studio)).accessToken,
        thirdParty: (await newAssertion(studio)).refreshToken,
      },
    }),
    validateAssertion: async (studio) => ({
      body: { audience: AUDIENCE },
      credentials: { assertion: (await newAssertion(studio)).assertionToken },
    }),

    startStoreAPortalLogin: async () => ({}),
    finishStoreAPortalLogin: async (studio) => ({ body: await newStoreAPlayer(studio) }),
    sendPortalCode: async (studio) => ({ body: { email: (await newEmailPlayer(studio)).email } }),
    logInToPortalByCode: async (studio) => {
      const email = someEmail();
      const code = await mail.codeFor(email, studio.tenant);
      await auth(studio, 'otc/exchange', { email, code });
      await portal('email/otc', { email });
      // The worker completes a code, and none runs here.
      await owner.query('UPDATE one_time_codes SET code_hash = $1 WHERE tenant_id = $2 AND email = $3', [
        vault.fingerprint(`one-time code ${PORTAL_TENANT} ${email} ${code}`),
        PORTAL_TENANT,
        email,
      ]);
      return { body: { email, code } };
    },
    createWalletProofChallenge: async () => ({ body: { address: newWallet().address } }),
    refreshPortalSession: async (studio) => ({
      headers: { 'idempotency-key': someText() },
      body: { refreshToken: (await newPortalSession(studio))['refreshToken'] },
    }),
    logOutOfPortal: async (studio) => ({
      body: { refreshToken: (await newPortalSession(studio))['refreshToken'] },
    }),

    listDevices: async (studio) => asPlayer(await newPlayer(studio)),
    updateDevice: async (studio) => {
      const player = await newPlayer(studio);
      const [device] = accepted(await http.get('/api/player/devices', player.caller));
      return { path: { deviceId: device.id }, body: { deviceName: 'x' }, ...asPlayer(player) };
    },
    listPlayerSessions: async (studio) => {
      const { username } = await newPlayer(studio);
      const player = await newPlayer(studio, username);
      const first = accepted(await http.get('/api/player/sessions/history?pageSize=1', player.caller));
      const query = {
        tenantId: studio.tenant.tenantId,
        cursorTimestamp: first.nextCursorTimestamp as string,
        cursorId: first.nextCursorId as string,
        pageSize: '1',
      };
      return { query, ...asPlayer(player) };
    },
    getPlayerSessionSummary: async (studio) => asPlayer(await newPlayer(studio)),
    getOwnProfile: async (studio) => asPlayer(await newPlayer(studio)),
    updateOwnProfile: async (studio) => ({
      body: { displayName: someText(), profileVisibility: 'full' },
      ...asPlayer(await newPlayer(studio)),
    }),
    deleteOwnProfile: async (studio) => ({ body: {}, ...asPlayer(await newPlayer(studio)) }),
    listAuthMethods: async (studio) => asPlayer(await newPlayer(studio)),
    listOwnTenants: async (studio) => asPlayer(await newPlayer(studio)),
    exportOwnData: async (studio) => asPlayer(await newPlayer(studio)),
    uploadAvatar: async (studio) => {
      const body = new FormData();
      body.append('avatarFile', new Blob([smallPicture]), 'a.png');
      return { body, ...asPlayer(await newPlayer(studio)) };
    },
    linkAuthMethod: async (studio) => ({
      body: { provider: 'Mock', token: `mock:${someText()}:secret` },
      ...asPlayer(await newPlayer(studio)),
    }),
    mergeProfile: async (studio) => {
      const source = await newPlayer(studio);
      const body = {
        sourceProfileId: source.playerId,
        sourceProvider: 'Mock',
        sourceAuthToken: `mock:${source.username}:secret`,
      };
      return { body, ...asPlayer(await newPlayer(studio)) };
    },
    unlinkAuthMethod: newAuthMethod,
    setPrimaryAuthMethod: newAuthMethod,
    getPlayerProfile: async (studio) => ({ path: { playerId: (await newPlayer(studio)).playerId } }),
    getPlayerProfiles: async (studio) => ({ body: { playerIds: [(await newPlayer(studio)).playerId] } }),
    getPublicPlayerProfile: async (studio) => ({ path: { playerId: (await newPlayer(studio)).playerId } }),
    getAvatar: async (studio) => {
      const { body } = await uploadAvatar(app, (await newPlayer(studio)).accessToken);
      return { path: { name: new URL(body.avatarUrl!).pathname.split('/').at(-1)! } };
    },

    createMatch: async (studio) => {
      const player = await newPlayer(studio);
      return {
        headers: { 'idempotency-key': someText() },
        body: { players: [{ playerId: player.playerId, loginSessionId: player.sessionId }] },
        ...asPlayer(player),
      };
    },
    joinMatch: async (studio) => {
      const { matchSessionId } = await newMatch(studio);
      const player = await newPlayer(studio);
      return {
        headers: { 'idempotency-key': someText() },
        path: { matchSessionId },
        body: { playerId: player.playerId, loginSessionId: player.sessionId },
        ...asPlayer(player),
      };
    },
    leaveMatch: async (studio) => {
      const { player, matchSessionId, matchPlayerId } = await newMatch(studio);
      return { path: { matchSessionId }, body: { matchPlayerId }, ...asPlayer(player) };
    },
    endMatch: async (studio) => {
      const { player, matchSessionId } = await newMatch(studio);
      return { path: { matchSessionId }, ...asPlayer(player) };
    },
    recordMatchResults: async (studio) => {
      const { player, matchSessionId, matchPlayerId } = await newMatch(studio);
      const body = { results: [{ matchPlayerId, placement: 1 }] };
      return { path: { matchSessionId }, body, ...asPlayer(player) };
    },
    getMatch: async (studio) => {
      const { player, matchSessionId } = await newMatch(studio);
      return { path: { matchSessionId }, ...asPlayer(player) };
    },
    ingestMatchEvents: async (studio) => {
      const { player, matchSessionId, matchPlayerId } = await newMatch(studio);
      const [event] = matchEvents(matchSessionId, matchPlayerId);
      return { body: { events: [{ ...event, loginSessionId: player.sessionId }] }, ...asPlayer(player) };
    },
    ingestPlayerEvents: async (studio) => {
      const player = await newPlayer(studio);
      const [event] = playerEvents(player.playerId, 1);
      return { body: { events: [{ ...event, loginSessionId: player.sessionId }] }, ...asPlayer(player) };
    },

    getWalletPlayerIndexByAddress: async (studio) => {
      const { playerAddress } = await newNamedWallet(studio);
      return { path: { address: playerAddress } };
    },
    getWalletPlayerIndexByPlayerId: async (studio) => {
      const { playerId } = await newNamedWallet(studio);
      return { path: { playerId } };
    },
    createAnonymousWalletPlayer: async () => ({
      body: { playerId: someText(), playerAddress: someAddress(), signInPassword: PASSWORD },
    }),
    logInWalletPlayerByJwt: async ({ tenant }) => {
      const address = someAddress();
      const jwt = await tenant.issuer.tokenOf(`subject of ${address}`, { wallet_address: address });
      return { body: { jwt } };
    },
    logInWalletPlayerByPassword: async (studio) => {
      const { playerId, signInPassword } = await newNamedWallet(studio);
      return { body: { playerId, signInPassword } };
    },
    getWalletPlayer: async (studio) => {
      const { player, credentials } = await newWalletPlayer(studio);
      return { path: { playerIndex: String(player.playerIndex) }, credentials };
    },
    setWalletScore: async (studio) => walletRead(studio, { body: { newScore: 5 } }),
    startWalletSession: async (studio) => walletRead(studio, { body: { device: 'x', startTime: 1 } }),
    endWalletSession: async (studio) => {
      const { player, credentials } = await newWalletPlayer(studio);
      const { sessionId } = accepted(await player.startSession({ device: 'x', startTime: 1 }));
      return { body: { sessionId }, credentials };
    },
    startWalletMatch: async (studio) => walletRead(studio, { body: { level: 'x' } }),
    createWalletRecord: async (studio) => {
      const { matchSessionId, credentials } = await newWalletMatch(studio);
      return { body: someRecord(matchSessionId), credentials };
    },
    endWalletPart: async (studio) => {
      const { matchSessionId, credentials } = await newWalletMatch(studio);
      return { body: somePart(matchSessionId), credentials };
    },
    endWalletMatch: async (studio) => {
      const { player, matchSessionId, credentials } = await newWalletMatch(studio);
      accepted(await player.endPart(somePart(matchSessionId)));
      return { body: { matchSessionId }, credentials };
    },
    getWalletTransaction: async (studio) => {
      const { transactionHash } = await newNamedWallet(studio);
      return walletRead(studio, { path: { transactionHash } });
    },
    listWalletTransactions: async (studio) => walletRead(studio, { query: { limit: '5' } }),

    signUpAccount: async () => ({ body: { email: someEmail(), password: ACCOUNT_PASSWORD } }),
    logInAccount: async () => ({
      body: { email: (await accounts.signUp()).email, password: ACCOUNT_PASSWORD },
    }),
    signInWithLink: async () => ({
      body: { token: await issueAccountToken('link', (await accounts.signUpVerified()).id) },
    }),
    refreshAccountSession: async () => ({
      headers: { 'idempotency-key': someText() },
      body: { refreshToken: (await accounts.signUp()).refreshToken },
    }),
    logOutAccount: async () => ({ body: { refreshToken: (await accounts.signUp()).refreshToken } }),
    verifyAccountEmail: async () => ({
      body: { token: await accounts.secretTo((await accounts.signUp()).email) },
    }),
    requestAccountPasswordReset: async () => ({ body: { email: (await accounts.signUp()).email } }),
    resetAccountPassword: async () => ({
      body: {
        token: await issueAccountToken('reset', (await accounts.signUpVerified()).id),
        newPassword: `${ACCOUNT_PASSWORD} 2`,
      },
    }),
    verifyAccountTotp: async () => {
      const account = await accounts.signUpWithTotp();
      await accounts.allowCodesAgain(account);
      const mfaToken = await accounts.mfaToken(account.email);
      return { body: { mfaToken, code: authenticatorCode(account.secret) } };
    },
    getInvitation: async ({ tenant }) => ({
      body: { token: (await arrangeInvitation(app, tenant, { email: someEmail() })).token },
    }),
    acceptInvitation: async ({ tenant }) => ({
      body: {
        token: (await arrangeInvitation(app, tenant, { email: someEmail() })).token,
        password: ACCOUNT_PASSWORD,
      },
    }),
  };
  return { requests, newPlayer, newMatch, newEvents };
}
