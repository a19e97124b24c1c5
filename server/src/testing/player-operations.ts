import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { newOpaqueToken } from '../security/opaque-tokens.ts';
import { ACCOUNT_PASSWORD, accountClient, authenticatorCode } from './account-client.ts';
import { arrangePlayer, someStoreAAccount, type TestTenant } from './arrange.ts';
import { uploadAvatar } from './avatars.ts';
import { emailClient, PASSWORD, someNetwork } from './email-player.ts';
import type { Answer, Caller } from './http-client.ts';
import { arrangeInvitation } from './invitations.ts';
import { someEmail } from './mailbox.ts';
import { someEvents } from './player-events.ts';
import type { StoreAOpenIdServer } from './providers/store-a-openid.ts';
import type { TestApp } from './test-app.ts';
import { vault } from './test-vault.ts';
import {
  addAnonymous,
  arrangeWalletPlayer,
  somePart,
  someRecord,
  type WalletTenant,
} from './wallet-recording.ts';
import { someWallet } from './wallets.ts';

/** The providers of the tenant, besides WalletJwt. */
export const PROVIDERS = ['Mock', 'EvmWallet', 'EmailOneTimeCode', 'EmailPassword'];

/** The environment of the app, besides the address of the store. */
export const PLAYER_ENVIRONMENT = {
  TRUST_PROXY: 'on',
  PORTAL_URL: 'https://portal.example',
  ALLOW_PRIVATE_ADDRESSES: 'on',
};

const ME = '/api/player-profile/me';
const someName = () => randomBytes(6).toString('hex');

/** The body of an accepted request. */
function accepted({ status, text, body }: Answer) {
  assert.ok(status < 400, text);
  return body;
}

/**
 * Sends every operation that takes no console account at least once, and those reads of a console account whose statements depend
 * on the query.
 */
export async function usePlayerOperations(
  app: TestApp,
  { tenant, store, reader }: { tenant: WalletTenant; store: StoreAOpenIdServer; reader: Caller },
): Promise<void> {
  await signInEveryWay(app, tenant, store);
  await changeProfiles(app, tenant);
  await play(app, tenant);
  await recordWallets(app, tenant);
  await openAccounts(app, tenant);
  await signInBanned(app, tenant, reader);
  await readAsAccount(app, tenant, reader);
  for (const path of ['/health/live', '/health/ready', '/.well-known/jwks.json'])
    accepted(await app.http.get(path));
}

/** Signs a new player in from a device, twice. */
async function arrangeDevicePlayer({ http }: TestApp, tenant: TestTenant) {
  const username = someName();
  const body = {
    provider: 'Mock',
    token: `mock:${username}:secret`,
    deviceInfo: { deviceFingerprint: `fingerprint ${username}` },
    clientInfo: { platform: 'PC_Windows' },
  };
  accepted(await http.post('/api/player-auth/players', body, tenant));
  const { accessToken, ...login } = accepted(await http.post('/api/player-auth/login', body, tenant));
  return { ...login, username, caller: { gameKey: tenant.gameKey, bearer: accessToken as string } };
}

async function signInEveryWay(app: TestApp, tenant: TestTenant, store: StoreAOpenIdServer): Promise<void> {
  const { http, owner } = app;
  const game = { gameKey: tenant.gameKey };
  const auth = async (path: string, body?: object, caller: Caller = game) =>
    accepted(
      await http.post(`/api/player-auth/${path}`, body, {
        ...caller,
        headers: { 'x-forwarded-for': someNetwork() },
      }),
    );
  const portal = async (path: string, body?: object) =>
    accepted(
      await http.post(`/api/player-portal-auth/${path}`, body, {
        headers: { 'x-forwarded-for': someNetwork() },
      }),
    );

  const player = await arrangeDevicePlayer(app, tenant);
  const { body: profile } = await http.get(ME, player.caller);
  const { providerUserId } = profile.authMethods[0];
  accepted(await http.get('/api/game/player', player.caller));
  await auth('players/exists', { provider: 'Mock', providerUserId });
  const refreshed = await auth('refresh', { refreshToken: player.refreshToken });
  await auth('refresh', { refreshToken: refreshed.refreshToken });
  const reused = await http.post('/api/player-auth/refresh', { refreshToken: player.refreshToken }, tenant);
  assert.equal(reused.status, 401);
  const audience = 'https://shop.example';
  const assertion = await auth(
    'jwt/exchange',
    { audience, includeRefreshToken: true },
    (await arrangePlayer(app, tenant)).caller,
  );
  const second = await auth('jwt/exchange', { audience }, { ...game, bearer: assertion.refreshToken });
  await auth('jwt/validate', { audience }, { ...game, bearer: second.assertionToken });
  await auth('logout', { sessionId: player.sessionId });
  await auth('logout', { sessionId: player.sessionId });

  const { codeFor, secretTo } = await emailClient(app);
  const [email, codeEmail] = [someEmail(), someEmail()];
  const signedUp = await auth('email/signup', { email, password: PASSWORD });
  await auth('email/resend', undefined, { ...game, bearer: signedUp.accessToken });
  await auth('email/verify', { token: await secretTo(email) });
  await auth('email/tenant-login', { email, password: PASSWORD });
  await auth('email/password-reset/request', { email });
  const token = someName();
  await owner.query(
    `INSERT INTO email_tokens (tenant_id, token_hash, purpose, email, player_id, expires_at)
     VALUES ($1, $2, 'reset', $3, $4, now() + interval '1 hour')`,
    [tenant.tenantId, vault.fingerprint(token), email, signedUp.playerId],
  );
  await auth('email/password-reset/confirm', { token, newPassword: `${PASSWORD} 2` });
  await auth('otc/exchange', { email: codeEmail, code: await codeFor(codeEmail, tenant) });
  await auth('otc/exchange', { email: codeEmail, code: await codeFor(codeEmail, tenant) });

  const wallet = someWallet();
  const { message } = await auth('wallet/challenge', { address: wallet.address });
  await auth('wallet/verify', { message, signature: await wallet.signMessage({ message }) });
  const challenge = await auth('challenge', { provider: 'EvmWallet', subject: wallet.address });
  await auth('challenge/verify', {
    challengeId: challenge.challengeId,
    response: await wallet.signMessage({ message: challenge.message }),
  });
  await portal('wallet/challenge', { address: wallet.address });

  const accountId = someStoreAAccount();
  await owner.query(
    `INSERT INTO auth_methods (id, player_id, auth_provider, provider_user_id, linked_at)
     VALUES ($1, $2, 'StoreA', $3, now())`,
    [randomUUID(), signedUp.playerId, accountId],
  );
  const { authUrl } = await portal('storea/start');
  const callbackUrl = await store.browse(authUrl, accountId);
  const session = await portal('storea/exchange', { callbackUrl });
  const { refreshToken } = await portal('refresh', { refreshToken: session.refreshToken });
  accepted(await http.get(ME, { bearer: session.accessToken }));
  await portal('logout', { refreshToken });
  // The worker completes a code, and none runs here.
  await portal('email/otc', { email: codeEmail });
  const portalTenant = '00000000-0000-0000-0000-000000000000';
  await owner.query('UPDATE one_time_codes SET code_hash = $1 WHERE tenant_id = $2 AND email = $3', [
    vault.fingerprint(`one-time code ${portalTenant} ${codeEmail} 123456`),
    portalTenant,
    codeEmail,
  ]);
  await portal('otc/exchange', { email: codeEmail, code: '123456' });
}

async function changeProfiles(app: TestApp, tenant: TestTenant): Promise<void> {
  const { http } = app;
  const [player, source, leaving] = [
    await arrangeDevicePlayer(app, tenant),
    await arrangeDevicePlayer(app, tenant),
    await arrangeDevicePlayer(app, tenant),
  ];
  const { caller } = player;
  accepted(await http.get(ME, caller));
  accepted(await http.patch(ME, { displayName: 'Ada', profileVisibility: 'full' }, caller));
  const avatar = await uploadAvatar(app, caller.bearer);
  accepted(await http.get(new URL(avatar.body.avatarUrl!).pathname));
  const linked = accepted(
    await http.post(`${ME}/auth-methods`, { provider: 'Mock', token: `mock:${someName()}:secret` }, caller),
  );
  accepted(await http.post(`${ME}/auth-methods/${linked.id}/set-primary`, {}, caller));
  accepted(await http.delete(`${ME}/auth-methods/${linked.id}`, caller));
  const merge = {
    sourceProfileId: source.playerId,
    sourceProvider: 'Mock',
    sourceAuthToken: `mock:${source.username}:secret`,
  };
  accepted(await http.post(`${ME}/merge`, merge, caller));
  for (const path of ['', '/auth-methods', '/bus_tenants', '/export'])
    accepted(await http.get(ME + path, caller));

  const ids = [player.playerId, source.playerId, leaving.playerId, randomUUID()];
  for (const id of ids.slice(0, 3)) {
    for (const credential of [{ gameKey: tenant.gameKey }, { apiKey: tenant.apiKey }])
      accepted(await http.get(`/api/player-profiles/${id}`, credential));
    accepted(await http.get(`/api/public/player-profiles/${id}`));
  }
  accepted(await http.post('/api/player-profiles/bulk', { playerIds: ids }, { apiKey: tenant.apiKey }));

  for (const query of ['pageSize=1', `tenantId=${tenant.tenantId}`]) {
    const history = `/api/player/sessions/history?${query}`;
    const { nextCursorTimestamp, nextCursorId, ...page } = accepted(await http.get(history, caller));
    assert.ok(page.sessions.length > 0);
    if (nextCursorId)
      accepted(
        await http.get(
          `${history}&cursorTimestamp=${encodeURIComponent(nextCursorTimestamp)}&cursorId=${nextCursorId}`,
          caller,
        ),
      );
  }
  accepted(await http.get('/api/player/sessions/summary', caller));
  const [device] = accepted(await http.get('/api/player/devices', caller));
  accepted(await http.patch(`/api/player/devices/${device.id}`, { isBlocked: true }, caller));
  accepted(await http.delete(ME, leaving.caller));
}

async function play(app: TestApp, tenant: TestTenant): Promise<void> {
  const { http } = app;
  const [ada, bob] = [await arrangeDevicePlayer(app, tenant), await arrangeDevicePlayer(app, tenant)];
  const game = { gameKey: tenant.gameKey };
  const match = accepted(
    await http.post(
      '/api/game/matches',
      { players: [{ playerId: ada.playerId }] },
      { ...game, headers: { 'idempotency-key': someName() } },
    ),
  );
  const { matchSessionId } = match;
  const path = `/api/game/matches/${matchSessionId}`;
  const { matchPlayerId } = match.players[0];
  const joined = accepted(await http.post(`${path}/join`, { playerId: bob.playerId }, game));
  const inMatch = someEvents(ada.playerId, 11).map(({ playerId: _, ...event }) => ({
    ...event,
    matchSessionId,
    matchPlayerId,
  }));
  // The second batch repeats the first one, and adds an event.
  for (const events of [inMatch.slice(0, 10), inMatch])
    accepted(await http.post('/api/game/events', { events }, ada.caller));
  const own = someEvents(ada.playerId, 11).map((event) => ({ ...event, eventKey: 'climb' }));
  const refused = { ...own[0], idempotencyKey: 'refused', value: 'x' };
  for (const events of [own.slice(0, 10), [...own, refused]])
    accepted(await http.post('/api/game/player-events', { events }, ada.caller));
  accepted(await http.post(`${path}/leave`, { matchPlayerId: joined.matchPlayerId }, game));
  accepted(await http.put(`${path}/results`, { results: [{ matchPlayerId, placement: 1 }] }, game));
  accepted(await http.get(path, game));
  accepted(await http.post(`${path}/end`, {}, game));

  const reader = { apiKey: tenant.apiKey };
  const list = `/api/bus_tenants/${tenant.tenantId}/events`;
  for (const filter of [
    'scope=match',
    'scope=player',
    `scope=match&matchSessionId=${matchSessionId}`,
    `scope=match&playerId=${ada.playerId}`,
    `scope=player&playerId=${ada.playerId}`,
    `scope=player&playerId=${ada.playerId}&eventKey=climb`,
    `scope=player&playerId=${bob.playerId}`,
  ]) {
    const page = accepted(await http.get(`${list}?${filter}&limit=5`, reader));
    if (page.nextCursor)
      accepted(await http.get(`${list}?${filter}&limit=5&cursor=${page.nextCursor}`, reader));
  }
  for (const filter of [
    `scope=match&matchSessionId=${matchSessionId}`,
    `scope=player&playerId=${ada.playerId}`,
  ]) {
    accepted(await http.get(`${list}/export?${filter}&format=ndjson`, reader));
    const range = 'from=2026-11-20T09:00:00Z&to=2026-11-20T11:00:00Z&bucket=minute';
    accepted(await http.get(`${list}/summary?${filter}&${range}`, reader));
  }
}

async function recordWallets(app: TestApp, tenant: WalletTenant): Promise<void> {
  const { http } = app;
  const added = await addAnonymous(app, tenant);
  const { transactionHash } = accepted(added);
  const named = { playerId: someName(), signInPassword: PASSWORD };
  accepted(await addAnonymous(app, tenant, named));
  accepted(await http.post('/api/Auth/wallet/login/password', named, tenant));
  const player = await arrangeWalletPlayer(app, tenant);
  const { address, playerId, playerIndex } = player;
  const { sessionId } = accepted(await player.startSession({ device: 'x', startTime: 1 }));
  const { matchSessionId } = accepted(await player.startMatch({ level: 'x' }));
  accepted(await player.addRecord(someRecord(matchSessionId)));
  accepted(await player.endPart(somePart(matchSessionId)));
  accepted(await player.endMatch({ matchSessionId }));
  accepted(await player.endSession({ sessionId }));
  accepted(await player.setScore({ newScore: 5 }));
  accepted(await player.read(playerIndex));
  const storage = '/api/BlockchainStorage';
  for (const path of [
    `players/lookup/address/${address}`,
    `players/lookup/index/${encodeURIComponent(playerId)}`,
    `transactions/${transactionHash}`,
    'transactions?limit=5',
  ])
    accepted(await http.get(`${storage}/${path}`, { gameKey: tenant.gameKey }));
}

/** Opens console accounts, by sign-up and by invitation. */
async function openAccounts(app: TestApp, tenant: TestTenant): Promise<void> {
  const { post, logIn, refresh, signUpVerified, signUpWithTotp, allowCodesAgain, mfaToken } =
    await accountClient(app);
  const account = await signUpVerified();
  const { refreshToken } = accepted(await logIn(account.email));
  const refreshed = accepted(await refresh(refreshToken));
  accepted(await post('logout', { refreshToken: refreshed.refreshToken }));
  accepted(await post('password-reset/request', { email: account.email }));
  const issueToken = async (purpose: 'reset' | 'link'): Promise<string> => {
    const token = newOpaqueToken(purpose);
    await app.owner.query(
      `INSERT INTO account_tokens (token_hash, account_id, purpose, expires_at)
       VALUES ($1, $2, $3, now() + interval '1 hour')`,
      [vault.fingerprint(token), account.id, purpose],
    );
    return token;
  };
  accepted(await post('link', { token: await issueToken('link') }));
  const newPassword = `${ACCOUNT_PASSWORD} 2`;
  accepted(await post('password-reset/confirm', { token: await issueToken('reset'), newPassword }));

  const guarded = await signUpWithTotp();
  await allowCodesAgain(guarded);
  const code = authenticatorCode(guarded.secret);
  accepted(await post('totp/verify', { mfaToken: await mfaToken(guarded.email), code }));

  const invitation = await arrangeInvitation(app, tenant, { email: someEmail() });
  accepted(await post('invitations/look-up', { token: invitation.token }));
  accepted(await post('invitations/accept', { token: invitation.token, password: ACCOUNT_PASSWORD }));
}

/** Refuses a sign-in, which reads the ban. */
async function signInBanned({ http }: TestApp, tenant: TestTenant, admin: Caller): Promise<void> {
  const token = `mock:${someName()}:secret`;
  const logIn = () => http.post('/api/player-auth/login', { provider: 'Mock', token }, tenant);
  const { playerId } = accepted(await logIn());
  const path = `/api/bus_tenants/${tenant.tenantId}/players/${playerId}/ban`;
  accepted(await http.post(path, { reason: 'Cheating' }, admin));
  assert.equal((await logIn()).body.ban.reason, 'Cheating');
}

/** Reads lists with each filter and order. */
async function readAsAccount({ http }: TestApp, tenant: TestTenant, reader: Caller): Promise<void> {
  const place = `/api/bus_tenants/${tenant.tenantId}`;
  const players = `${place}/players?limit=5`;
  const { items } = accepted(await http.get(players, reader));
  const { playerId, displayName } = items[0];
  for (const query of [
    `search=${playerId}`,
    `search=${encodeURIComponent(displayName ?? 'x')}`,
    'search=nobody',
    'sort=firstSeenAt',
    'sort=-displayName&offset=5',
    'banned=true',
    'hidden=true',
    'authProvider=StoreA',
  ])
    accepted(await http.get(`${players}&${query}`, reader));
  for (const part of ['', '/sessions?limit=5', '/devices?limit=5', '/bans?limit=5'])
    accepted(await http.get(`${place}/players/${playerId}${part}`, reader));
  accepted(await http.get(`${place}/matches?limit=5&playerId=${playerId}`, reader));
  accepted(await http.get(`${place}/audit-records?limit=5&targetId=${playerId}`, reader));
  const records = `${place}/audit-records?limit=5`;
  const audit = accepted(await http.get(records, reader));
  const { id, action, actor, targetId } = audit.items.at(-1);
  for (const query of [`cursor=${id}`, `action=${action}`, `actorId=${actor.id}`, `targetId=${targetId}`])
    accepted(await http.get(`${records}&${query}`, reader));
  for (const groupBy of ['day', 'tenant', 'key'])
    accepted(await http.get(`/api/workspaces/${tenant.workspaceId}/usage?groupBy=${groupBy}`, reader));
}
