import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangePlatformAdmin, arrangeTenant, type TestTenant } from '../../../../testing/arrange.ts';
import { emailClient, PASSWORD, someNetwork } from '../../../../testing/email-player.ts';
import { eventually } from '../../../../testing/eventually.ts';
import { holdLogins } from '../../../../testing/hold-logins.ts';
import type { Answer, Caller } from '../../../../testing/http-client.ts';
import { someEmail } from '../../../../testing/mailbox.ts';
import { untilBlocked } from '../../../../testing/row-locks.ts';
import { startTestApp, startTestWorker } from '../../../../testing/test-app.ts';
import { signChallenge, someWallet, walletProof } from '../../../../testing/wallets.ts';

const app = await startTestApp({ env: { TRUST_PROXY: 'on' } });
await startTestWorker(app);
const providers = ['EmailOneTimeCode', 'EmailPassword', 'EvmWallet', 'Mock'];
const hostile = await arrangeTenant(app, { providers });
const sibling = await arrangeTenant(app, { providers, workspaceId: hostile.workspaceId });
const honest = await arrangeTenant(app, { providers });
const platformAdmin = await arrangePlatformAdmin(app);
const { codeFor, exchange, logIn, mailsTo, post, resetTokenFor, secretTo, signUp } = await emailClient(app);

const ME = '/api/player-profile/me';
const METHODS = `${ME}/auth-methods`;
type Wallet = ReturnType<typeof someWallet>;

/** A signed challenge of a game. */
async function signed(wallet: Wallet, caller: Caller) {
  const { message, signature } = await signChallenge(app, caller, wallet);
  return { message, signature };
}
const proofOf = (wallet: Wallet) => walletProof(app, wallet);
const signIn = async (wallet: Wallet, { gameKey }: TestTenant) =>
  app.http.post(
    '/api/player-auth/wallet/verify',
    {
      ...(await signed(wallet, { gameKey })),
      deviceInfo: { deviceFingerprint: `device-of-${wallet.address}` },
    },
    { gameKey },
  );

/** A player who signs in to the tenants with a wallet. `bearer` is the token of the first tenant. */
async function newPlayer(...tenants: TestTenant[]) {
  const wallet = someWallet();
  const answers: Answer[] = [];
  for (const tenant of tenants) answers.push(await signIn(wallet, tenant));
  const { playerId, accessToken } = answers[0]!.body;
  return { wallet, playerId: playerId as string, bearer: accessToken as string };
}

async function portalCodeFor(email: string): Promise<string> {
  await app.owner.query(
    `UPDATE one_time_codes SET sent_at = sent_at - interval '1 minute' WHERE email = $1`,
    [email],
  );
  const before = (await mailsTo(email)).length;
  await app.http.post(
    '/api/player-portal-auth/email/otc',
    { email },
    { headers: { 'x-forwarded-for': someNetwork() } },
  );
  await eventually(async () => (await mailsTo(email)).length > before);
  return secretTo(email);
}
const portalToken = async (email: string) => {
  const { body } = await app.http.post('/api/player-portal-auth/otc/exchange', {
    email,
    code: await portalCodeFor(email),
  });
  return { bearer: body.accessToken as string, refreshToken: body.refreshToken as string };
};
const refreshPortal = ({ refreshToken }: { refreshToken: string }) =>
  app.http.post('/api/player-portal-auth/refresh', { refreshToken });

const mockToken = () => `mock:${randomBytes(6).toString('hex')}:secret`;
const linkMock = (caller: Caller, more: object = {}) =>
  app.http.post(METHODS, { provider: 'Mock', token: mockToken(), ...more }, caller);
const linkEmail = async (email: string, tenant: TestTenant, caller: Caller, more: object = {}) =>
  app.http.post(
    METHODS,
    { provider: 'EmailOneTimeCode', email, code: await codeFor(email, tenant), ...more },
    caller,
  );
const withHeader = (caller: Caller, proof: unknown): Caller => ({
  ...caller,
  headers: {
    'x-identity-proof': Buffer.from(typeof proof === 'string' ? proof : JSON.stringify(proof)).toString(
      'base64url',
    ),
  },
});
const DEVICES = '/api/player/devices';
const setBlocked = (deviceId: string, isBlocked: boolean, caller: Caller, more: object = {}) =>
  app.http.patch(`${DEVICES}/${deviceId}`, { isBlocked, ...more }, caller);
const deviceIdOf = async ({ bearer }: Caller): Promise<string> =>
  (await app.http.get(DEVICES, { bearer: bearer! })).body[0].id;
const methodsOf = async (caller: Caller) => (await app.http.get(ME, caller)).body.authMethods;
const refused = (answer: Answer, what?: string) =>
  assert.deepEqual([answer.status, answer.body?.code], [403, 'identity_proof_required'], what ?? answer.text);
const auditOf = async (playerId: string) =>
  (
    await app.owner.query(
      'SELECT action, tenant_id AS tenant, ip_address AS ip, request_id AS request, details FROM audit_records WHERE target_id = $1 ORDER BY id',
      [playerId],
    )
  ).rows;

/** Every change that can need a proof. */
const changes: Record<string, (caller: Caller) => Promise<Answer>> = {
  link: (caller) => linkMock(caller),
  unlink: async (caller) => app.http.delete(`${METHODS}/${(await methodsOf(caller)).at(-1).id}`, caller),
  'set-primary': async (caller) =>
    app.http.post(`${METHODS}/${(await methodsOf(caller))[0].id}/set-primary`, undefined, caller),
  merge: async (caller) => {
    const token = mockToken();
    const { body } = await app.http.post('/api/player-auth/login', { provider: 'Mock', token }, hostile);
    return app.http.post(
      `${ME}/merge`,
      { sourceProfileId: body.playerId, sourceProvider: 'Mock', sourceAuthToken: token },
      caller,
    );
  },
  export: (caller) => app.http.get(`${ME}/export`, caller),
  'block a device': async (caller) => setBlocked(await deviceIdOf(caller), true, caller),
  'unblock a device': async (caller) => setBlocked(await deviceIdOf(caller), false, caller),
  delete: (caller) => app.http.delete(ME, caller),
};

/** A portal token cannot link Mock. So the answer is 400 if the link is allowed, and 403 if a proof is missing. */
const linkMockByPortal = (caller: Caller) => linkMock(caller);

describe('a profile that one workspace knows', () => {
  test('can be changed with any token of the workspace, without a proof', async () => {
    const player = await newPlayer(hostile, sibling);
    await linkMock(player);
    for (const [name, change] of Object.entries(changes)) {
      const { status, text } = await change(player);
      assert.ok(status < 300, `${name}: ${text}`);
    }
  });
});

describe('the portal sessions of a removed method', () => {
  for (const games of [[hostile], [hostile, honest]])
    test(`end, and those of other methods do not, if ${games.length} workspaces know the player`, async () => {
      const player = await newPlayer(hostile);
      const [removed, kept] = [someEmail(), someEmail()];
      const { body: method } = await linkEmail(removed, hostile, player);
      await linkEmail(kept, hostile, player);
      const ended = [await portalToken(removed), await portalToken(removed)];
      const other = await portalToken(kept);
      for (const game of games) await signIn(player.wallet, game);
      const unlinked = await app.http.delete(`${METHODS}/${method.id}`, ended[0]);
      assert.equal(unlinked.status, 204, 'also with a token of the method');
      for (const session of ended) {
        assert.equal((await refreshPortal(session)).status, 401);
        const uses = [
          linkMock(session),
          app.http.post(`${METHODS}/${method.id}/set-primary`, undefined, session),
          app.http.delete(ME, session),
          ...[ME, METHODS, `${ME}/bus_tenants`, `${ME}/export`].map((path) => app.http.get(path, session)),
        ];
        for (const { status, body } of await Promise.all(uses))
          assert.deepEqual([status, body.code], [401, 'invalid_bearer']);
      }
      assert.equal((await refreshPortal(other)).status, 200);
    });

  test('end also if a portal sign-in runs concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const player = await newPlayer(hostile);
      const email = someEmail();
      const { body: method } = await linkEmail(email, hostile, player);
      const code = await portalCodeFor(email);
      const [signedIn, unlinked] = await Promise.all([
        app.http.post('/api/player-portal-auth/otc/exchange', { email, code }),
        app.http.delete(`${METHODS}/${method.id}`, player),
      ]);
      assert.equal(unlinked.status, 204, unlinked.text);
      if (signedIn.status === 200) assert.equal((await refreshPortal(signedIn.body)).status, 401);
      else assert.equal(signedIn.status, 401, signedIn.text);
    }
  });
});

describe('a profile that several workspaces know', () => {
  for (const [name, change] of Object.entries(changes)) {
    test(`${name} returns 403 without a proof, and accepts a proof once`, async () => {
      const player = await newPlayer(hostile);
      await linkMock(player);
      await signIn(player.wallet, honest);
      refused(await change(player));
      const proven = withHeader(player, await proofOf(player.wallet));
      const { status, text, headers } = await change(proven);
      assert.ok(status < 300, text);
      const repeated = await change(proven);
      if (name !== 'delete') return refused(repeated, 'a proof works once');
      assert.equal(repeated.status, 204, 'a deletion is idempotent');
      assert.equal(repeated.headers.get('x-deletion-receipt'), headers.get('x-deletion-receipt'));
    });
  }

  test('accepts a proof in the body', async () => {
    const player = await newPlayer(hostile, honest);
    assert.equal((await linkMock(player, { proof: await proofOf(player.wallet) })).status, 201);
    const [method] = await methodsOf(player);
    const proof = await proofOf(player.wallet);
    assert.equal((await app.http.post(`${METHODS}/${method.id}/set-primary`, { proof }, player)).status, 200);
  });

  test('accepts a proof in the body of a DELETE', async () => {
    const player = await newPlayer(hostile, honest);
    const { body: method } = await linkMock(player, { proof: await proofOf(player.wallet) });
    const remove = async (path: string, proof?: object) =>
      app.http.raw('DELETE', path, JSON.stringify({ proof }), player);
    for (const path of [`${METHODS}/${method.id}`, ME]) {
      refused(await app.http.delete(path, player), 'no body');
      refused(await remove(path), 'a body without a proof');
      assert.equal((await remove(path, { provider: 'EvmWallet' })).status, 400);
      assert.equal((await remove(path, await proofOf(player.wallet))).status, 204, path);
    }
  });

  test('accepts a portal code as a proof, but no sign-in code of a game', async () => {
    const player = await newPlayer(hostile);
    const email = someEmail();
    await linkEmail(email, hostile, player, { proof: await proofOf(player.wallet) });
    await signIn(player.wallet, honest);
    const code = await codeFor(email, hostile);
    const ofGame = { provider: 'EmailOneTimeCode', email, code };
    refused(await linkMock(player, { proof: ofGame }), 'a studio sees the sign-in codes of its own game');
    const proof = { ...ofGame, code: await portalCodeFor(email) };
    const answers = await Promise.all([linkMock(player, { proof }), linkMock(player, { proof })]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 403]);
  });

  test('accepts a portal token without a proof', async () => {
    const player = await newPlayer(hostile);
    const email = someEmail();
    await linkEmail(email, hostile, player, { proof: await proofOf(player.wallet) });
    await signIn(player.wallet, honest);
    const portal = await portalToken(email);
    const exported = await app.http.get(`${ME}/export`, portal);
    assert.equal(exported.status, 200, exported.text);
    const [address] = exported.body.emailAddresses;
    assert.deepEqual([address.email, Date.parse(address.verifiedAt) > 0], [email, true]);
    assert.deepEqual(
      exported.body.portalSessions.map(({ endedAt }: { endedAt: string | null }) => endedAt),
      [null],
    );
    assert.equal((await app.http.delete(ME, portal)).status, 204);
    const trail = (await auditOf(player.playerId)).filter(({ action }) => action === 'player.self_deleted');
    assert.deepEqual(
      new Map(trail.map(({ tenant, request }) => [tenant, request !== null])),
      new Map([
        [null, true],
        [hostile.tenantId, false],
        [honest.tenantId, false],
      ]),
      'only the portal sees the origin of its request',
    );
    const { body } = await app.http.get(
      `/api/admin/audit-records?targetId=${player.playerId}&limit=1`,
      platformAdmin,
    );
    assert.deepEqual([body.items.length, body.hasMore], [1, true]);
    const rest = await app.http.get(
      `/api/admin/audit-records?action=player.self_deleted&targetId=${player.playerId}`,
      platformAdmin,
    );
    assert.ok(rest.body.items.some(({ tenantId }: { tenantId: string | null }) => tenantId === null));
  });

  test('returns 403 for a proof of another player, of the method to link, of Mock, and of a game', async () => {
    const player = await newPlayer(hostile);
    const mock = mockToken();
    assert.equal((await app.http.post(METHODS, { provider: 'Mock', token: mock }, player)).status, 201);
    await signIn(player.wallet, honest);
    const stranger = someWallet();
    const gameMessage = await signed(player.wallet, {
      gameKey: hostile.gameKey,
    });
    const email = someEmail();
    const sameCode = { provider: 'EmailOneTimeCode', email, code: await codeFor(email, hostile) };
    for (const proof of [
      await proofOf(stranger),
      sameCode,
      { provider: 'Mock', token: mock },
      { provider: 'StoreA', token: '00' },
      { provider: 'EvmWallet', ...gameMessage },
    ])
      refused(await linkMock(player, { proof }), JSON.stringify(proof));
    refused(await app.http.post(METHODS, { ...sameCode, proof: sameCode }, player));
  });

  test('returns 400 for a malformed proof', async () => {
    const player = await newPlayer(hostile, honest);
    for (const proof of [
      'nonsense',
      '[]',
      'null',
      '{"provider":"EvmWallet"}',
      '{"provider":"X","token":"x"}',
      { provider: 5 },
    ]) {
      const answer = await app.http.delete(ME, withHeader(player, proof));
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_request'], JSON.stringify(proof));
    }
    assert.equal((await linkMock(player, { proof: 'x' })).status, 400);
    assert.equal(
      (await linkMock(player, { proof: { provider: 'EvmWallet' } })).body.errors[0].path,
      'proof.message',
    );
  });

  test('returns 403 for a merge with only a credential that a game has seen', async () => {
    const victim = await newPlayer(hostile);
    const token = mockToken();
    await app.http.post(METHODS, { provider: 'Mock', token }, victim);
    await signIn(victim.wallet, honest);
    const puppet = await newPlayer(hostile);
    const merge = async (more: object = {}) =>
      app.http.post(
        `${ME}/merge`,
        { sourceProfileId: victim.playerId, sourceProvider: 'Mock', sourceAuthToken: token, ...more },
        puppet,
      );
    const withoutProof = await merge();
    refused(withoutProof);
    assert.match(withoutProof.body.detail, /needs a proof of it, as sourceProof/);
    refused(await merge({ sourceProof: await proofOf(puppet.wallet) }));
    assert.equal((await signIn(victim.wallet, honest)).body.playerId, victim.playerId);
    // The wallet would be restricted to the games of one workspace, and could not sign in to those of the other.
    const withoutTarget = await merge({ sourceProof: await proofOf(victim.wallet) });
    refused(withoutTarget, 'no proof of the target');
    assert.match(withoutTarget.body.detail, /also needs a proof of this profile/);
    assert.equal((await signIn(victim.wallet, honest)).body.playerId, victim.playerId);
    const merged = await merge({
      sourceProof: await proofOf(victim.wallet),
      proof: await proofOf(puppet.wallet),
    });
    assert.equal(merged.status, 200, merged.text);
    assert.equal((await signIn(victim.wallet, honest)).body.playerId, puppet.playerId);
  });

  test('merges a profile that has only a wallet or an address with a proof of it, once', async () => {
    const target = await newPlayer(hostile);
    const wallet = await newPlayer(hostile, honest);
    const email = someEmail();
    const { body: byCode } = await exchange(email, await codeFor(email, hostile), hostile);
    const merge = (sourceProfileId: string, more: object) =>
      app.http.post(`${ME}/merge`, { sourceProfileId, ...more }, target);
    const proof = await proofOf(wallet.wallet);
    const other = await merge(byCode.playerId, { sourceProof: proof });
    assert.deepEqual([other.status, other.body.code], [400, 'merge_refused'], 'a proof of another profile');
    refused(await merge(wallet.playerId, { sourceProof: proof }), 'a used proof');

    const gameMessage = await signed(wallet.wallet, hostile);
    refused(await merge(wallet.playerId, { sourceProof: { provider: 'EvmWallet', ...gameMessage } }));
    const merged = await merge(wallet.playerId, {
      sourceProof: await proofOf(wallet.wallet),
      proof: await proofOf(target.wallet),
    });
    assert.equal(merged.status, 200, merged.text);
    assert.equal((await signIn(wallet.wallet, honest)).body.playerId, target.playerId);

    const code = { provider: 'EmailOneTimeCode', email, code: await portalCodeFor(email) };
    const both = await Promise.all(
      [1, 2].map(() => merge(byCode.playerId, { sourceProof: code, proof: code })),
    );
    assert.deepEqual(
      both.map(({ status }) => status).toSorted(),
      [403, 403],
      'a proof of the source is none of the target',
    );
    const proofs = async () => ({ sourceProof: code, proof: await proofOf(target.wallet) });
    const answers = await Promise.all(
      [await proofs(), await proofs()].map((more) => merge(byCode.playerId, more)),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    const again = await exchange(email, await codeFor(email, hostile), hostile);
    assert.equal(again.body.playerId, target.playerId);
  });

  test('merges a profile that only another workspace knows with a proof by a method that is valid there', async () => {
    const [target, source] = [await newPlayer(honest), await newPlayer(hostile)];
    const email = someEmail();
    assert.equal((await linkEmail(email, hostile, source)).status, 201);
    const code = await portalCodeFor(email);
    const merged = await app.http.post(
      `${ME}/merge`,
      {
        sourceProfileId: source.playerId,
        sourceProof: { provider: 'EmailOneTimeCode', email, code },
        proof: await proofOf(target.wallet),
      },
      target,
    );
    assert.equal(merged.status, 200, merged.text);
    const reused = await app.http.post('/api/player-portal-auth/otc/exchange', { email, code });
    assert.equal(reused.status, 401, 'the merge has used the code');
    refused(await signIn(source.wallet, honest), 'its methods stay restricted to the workspace');
    assert.equal((await signIn(source.wallet, hostile)).body.playerId, target.playerId);
  });

  test('returns 400 for a merge without a whole credential of the source', async () => {
    const player = await newPlayer(hostile);
    for (const [more, path] of [
      [{}, 'sourceProvider'],
      [{ sourceProvider: null }, 'sourceProvider'],
      [{ sourceProvider: 'Mock' }, 'sourceAuthToken'],
      [{ sourceAuthToken: 'x' }, 'sourceProvider'],
      [{ sourceProvider: 'Mock', sourceProof: await proofOf(someWallet()) }, 'sourceAuthToken'],
      [{ sourceProvider: 'EvmWallet', sourceAuthToken: 'x' }, 'sourceProvider'],
      [{ sourceProof: { provider: 'EvmWallet' } }, 'sourceProof.message'],
    ] as const) {
      const { status, body } = await app.http.post(
        `${ME}/merge`,
        { sourceProfileId: player.playerId, ...more },
        player,
      );
      assert.deepEqual(
        [status, body.code, body.errors?.[0].path],
        [400, 'invalid_request', path],
        JSON.stringify(more),
      );
    }
  });

  test('waits for a concurrent first sign-in in another workspace', async () => {
    const player = await newPlayer(hostile);
    const token = await signed(player.wallet, {
      gameKey: honest.gameKey,
    });
    const held = await holdLogins(app);
    const login = app.http.post('/api/player-auth/wallet/verify', token, { gameKey: honest.gameKey });
    await held.arrival();
    const linked = linkMock(player);
    // The link waits for the sign-in, which has locked the player.
    await untilBlocked(app);
    await held.release();
    assert.equal((await login).status, 200);
    refused(await linked);
  });
});

describe('an export after a deletion', () => {
  const deleteKnownBy = async (...tenants: TestTenant[]) => {
    const player = await newPlayer(...tenants);
    const email = someEmail();
    await linkEmail(email, hostile, player, { proof: await proofOf(player.wallet) });
    const portal = await portalToken(email);
    assert.equal((await app.http.delete(ME, portal)).status, 204);
    return { player, portal };
  };

  test('returns the rest while one workspace knows the player', async () => {
    const { player, portal } = await deleteKnownBy(hostile, sibling);
    for (const caller of [player, portal]) {
      const { status, body } = await app.http.get(`${ME}/export`, caller);
      assert.deepEqual([status, body.profile?.isActive, body.logins?.length], [200, false, 2]);
    }
  });

  test('returns 403 if several workspaces know the player, with each token and a proof of a deleted method', async () => {
    const { player, portal } = await deleteKnownBy(hostile, honest);
    const withProof = withHeader(player, await proofOf(player.wallet));
    for (const caller of [player, portal, withProof]) refused(await app.http.get(`${ME}/export`, caller));
    assert.equal((await app.http.get(ME, player)).body.isActive, false);
  });
});

describe('a method that was linked without a proof', () => {
  test('signs in to games of its workspace only, and is no proof', async () => {
    const victim = await newPlayer(hostile);
    const studio = someWallet();
    const linkWallet = async (more: object = {}) =>
      app.http.post(
        METHODS,
        {
          provider: 'EvmWallet',
          ...(await signed(studio, { gameKey: hostile.gameKey })),
          ...more,
        },
        victim,
      );
    assert.equal((await linkWallet()).status, 201);
    assert.equal((await signIn(studio, sibling)).body.playerId, victim.playerId);
    refused(await signIn(studio, honest));
    await signIn(victim.wallet, honest);
    refused(await linkMock(victim, { proof: await proofOf(studio) }));
    assert.equal((await linkWallet({ proof: await proofOf(victim.wallet) })).status, 201);
    assert.equal(
      (await signIn(studio, honest)).body.playerId,
      victim.playerId,
      'a proof makes the method valid in all workspaces',
    );
  });

  test('can be a method of another profile that was merged without a proof', async () => {
    const [victim, puppet] = [await newPlayer(hostile), await newPlayer(hostile)];
    const token = mockToken();
    assert.equal((await app.http.post(METHODS, { provider: 'Mock', token }, puppet)).status, 201);
    const merged = await app.http.post(
      `${ME}/merge`,
      { sourceProfileId: puppet.playerId, sourceProvider: 'Mock', sourceAuthToken: token },
      victim,
    );
    assert.equal(merged.status, 200, merged.text);
    refused(await signIn(puppet.wallet, honest));
    assert.equal((await signIn(puppet.wallet, sibling)).body.playerId, victim.playerId);
    await signIn(victim.wallet, honest);
    refused(await linkMock(victim, { proof: await proofOf(puppet.wallet) }), 'it is no proof');
  });

  test('opens a portal session that can remove only this method', async () => {
    const victim = await newPlayer(hostile);
    const email = someEmail();
    const { body: method } = await linkEmail(email, hostile, victim);
    const early = await portalToken(email);
    assert.equal(
      (await linkMockByPortal(early)).status,
      400,
      'allowed while one workspace knows the profile, so only the credential is refused',
    );
    await signIn(victim.wallet, honest);
    for (const portal of [early, await portalToken(email)])
      refused(await app.http.get(`${ME}/export`, portal));
    const { rows } = await app.owner.query('SELECT id FROM auth_methods WHERE player_id = $1 AND id <> $2', [
      victim.playerId,
      method.id,
    ]);
    refused(await app.http.delete(`${METHODS}/${rows[0].id}`, early));
    assert.equal((await app.http.delete(`${METHODS}/${method.id}`, early)).status, 204);
  });

  test('opens a portal session that reads and changes nothing else after other workspaces know the player', async () => {
    const victim = await newPlayer(hostile);
    const [email, other] = [someEmail(), someEmail()];
    const { body: method } = await linkEmail(email, hostile, victim);
    const early = await portalToken(email);
    const requests: Record<string, (caller: Caller) => Promise<Answer>> = {
      'read the profile': (caller) => app.http.get(ME, caller),
      'change the profile': (caller) => app.http.patch(ME, { profileVisibility: 'full' }, caller),
      'list the tenants': (caller) => app.http.get(`${ME}/bus_tenants`, caller),
      'read the history': (caller) => app.http.get('/api/player/sessions/history', caller),
      'read the summary': (caller) => app.http.get('/api/player/sessions/summary', caller),
      'list the devices': (caller) => app.http.get(DEVICES, caller),
      'name a device': async (caller) =>
        app.http.patch(`${DEVICES}/${await deviceIdOf(victim)}`, { deviceName: 'x' }, caller),
    };
    for (const [name, request] of Object.entries(requests))
      assert.equal((await request(early)).status, 200, name);
    await signIn(victim.wallet, honest);
    await linkEmail(other, hostile, victim, { proof: await proofOf(victim.wallet) });
    for (const portal of [early, await portalToken(email)])
      for (const [name, request] of Object.entries(requests)) refused(await request(portal), name);

    const proven = await portalToken(other);
    for (const [name, request] of Object.entries(requests))
      assert.equal((await request(proven)).status, 200, name);
    assert.deepEqual(
      (await app.http.get(METHODS, proven)).body,
      (await app.http.get(ME, proven)).body.authMethods,
    );

    const listed = await app.http.get(METHODS, early);
    assert.deepEqual(
      listed.body.map(({ id }: { id: string }) => id),
      [method.id],
    );
    const { status, body } = await refreshPortal(early);
    assert.equal(status, 200);
    const renewed = { bearer: body.accessToken as string };
    assert.equal((await app.http.delete(`${METHODS}/${method.id}`, renewed)).status, 204);
    for (const path of [ME, METHODS])
      assert.equal((await app.http.get(path, renewed)).status, 401, 'a token of a removed method');
    assert.equal((await refreshPortal(body)).status, 401);
  });

  test('opens a portal session that still reads the rest of a deleted profile', async () => {
    const victim = await newPlayer(hostile);
    const email = someEmail();
    await linkEmail(email, hostile, victim);
    const portal = await portalToken(email);
    await signIn(victim.wallet, honest);
    const deleted = await app.http.delete(ME, withHeader(victim, await proofOf(victim.wallet)));
    assert.equal(deleted.status, 204);
    assert.equal((await app.http.get(ME, portal)).body.isActive, false);
  });

  test('cannot block the player in games of other workspaces', async () => {
    const victim = await newPlayer(hostile);
    const email = someEmail();
    await linkEmail(email, hostile, victim);
    const { body: inHonestGame } = await signIn(victim.wallet, honest);
    const deviceId = await deviceIdOf(victim);
    for (const caller of [victim, await portalToken(email)])
      for (const isBlocked of [true, false]) refused(await setBlocked(deviceId, isBlocked, caller));
    assert.equal((await signIn(victim.wallet, honest)).status, 200);
    const refreshed = await app.http.post(
      '/api/player-auth/refresh',
      { refreshToken: inHonestGame.refreshToken },
      { gameKey: honest.gameKey },
    );
    assert.equal(refreshed.status, 200);
  });

  test('opens a portal session that blocks and unblocks a device with a proof of another method', async () => {
    const victim = await newPlayer(hostile);
    const email = someEmail();
    await linkEmail(email, hostile, victim);
    await signIn(victim.wallet, honest);
    const portal = await portalToken(email);
    const deviceId = await deviceIdOf(victim);
    for (const isBlocked of [true, false]) {
      const proof = await proofOf(victim.wallet);
      const changed = await setBlocked(deviceId, isBlocked, portal, { proof });
      assert.deepEqual([changed.status, changed.body.isBlocked], [200, isBlocked], changed.text);
      refused(await setBlocked(deviceId, isBlocked, portal), 'without a proof');
      refused(await setBlocked(deviceId, isBlocked, portal, { proof }), 'a proof works once');
    }
    for (const change of [{}, { deviceName: 'x' }, { isTrusted: true }])
      refused(
        await app.http.patch(
          `${DEVICES}/${deviceId}`,
          { ...change, proof: await proofOf(victim.wallet) },
          portal,
        ),
        `a proof is only for a block: ${JSON.stringify(change)}`,
      );
  });

  test('does not sign in to other workspaces with a new password for the same address', async () => {
    const victim = await newPlayer(hostile);
    const email = someEmail();
    await linkEmail(email, hostile, victim);
    await app.http.post(
      '/api/player-auth/email/password-reset/request',
      { email },
      { gameKey: honest.gameKey },
    );
    await eventually(async () => (await mailsTo(email))[0]?.subject === 'Set a new password');
    const set = await app.http.post(
      '/api/player-auth/email/password-reset/confirm',
      { token: await secretTo(email), newPassword: 'battery staple' },
      { gameKey: honest.gameKey },
    );
    assert.equal(set.status, 200, set.text);
    const logInThere = () =>
      app.http.post(
        '/api/player-auth/email/tenant-login',
        { email, password: 'battery staple' },
        { gameKey: honest.gameKey },
      );
    refused(await logInThere());
    // The reset has ended the first session.
    const { body } = await signIn(victim.wallet, hostile);
    const other = someEmail();
    for (const more of [{}, { proof: await proofOf(victim.wallet) }])
      assert.equal((await linkEmail(other, hostile, { bearer: body.accessToken }, more)).status, 201);
    refused(await logInThere(), 'a proof is for the address that it links');
  });

  test('signs in everywhere with its password, after its address is linked again with a proof', async () => {
    const player = await newPlayer(hostile);
    const email = someEmail();
    assert.equal((await linkEmail(email, hostile, player)).status, 201);
    const reset = { token: await resetTokenFor(email, hostile), newPassword: PASSWORD };
    assert.equal((await post('email/password-reset/confirm', reset, hostile)).status, 200);
    await signIn(player.wallet, honest);
    refused(await logIn(email, honest));
    // The reset has ended the first session.
    const { body } = await signIn(player.wallet, hostile);
    const proof = await proofOf(player.wallet);
    const linked = await linkEmail(email, hostile, { bearer: body.accessToken }, { proof });
    assert.equal(linked.status, 201, linked.text);
    const answer = await logIn(email, honest);
    assert.deepEqual([answer.status, answer.body.playerId], [200, player.playerId]);
  });

  test('does not move an unverified address in a merge', async () => {
    const victim = await newPlayer(hostile);
    const [email, token] = [someEmail(), mockToken()];
    const { body: puppet } = await app.http.post(
      '/api/player-auth/email/signup',
      { email, password: 'correct horse' },
      { gameKey: hostile.gameKey },
    );
    await app.http.post(METHODS, { provider: 'Mock', token }, { bearer: puppet.accessToken });
    const merged = await app.http.post(
      `${ME}/merge`,
      { sourceProfileId: puppet.playerId, sourceProvider: 'Mock', sourceAuthToken: token },
      victim,
    );
    assert.equal(merged.status, 200, merged.text);
    await signIn(victim.wallet, honest);
    const proved = await exchange(email, await codeFor(email, honest), honest);
    assert.equal(proved.body.isNewPlayer, true, proved.text);
    assert.equal((await signIn(victim.wallet, honest)).body.playerId, victim.playerId);
  });
});

describe('the address of a sign-up that was linked by code without a proof', () => {
  /** The token of the sign-up mail is of the time before the link. */
  async function newSignUp() {
    const email = someEmail();
    const { body } = await signUp(email, hostile);
    const token = await secretTo(email);
    const linked = await linkEmail(email, hostile, { bearer: body.accessToken });
    assert.equal(linked.status, 201, linked.text);
    return { email, token, playerId: body.playerId as string };
  }

  test('refuses a sign-in by code to games of other studios if a studio has set the password of the profile', async () => {
    // A studio can sign up with the address of its player, and link the code that the player types.
    const { email } = await newSignUp();
    refused(await exchange(email, await codeFor(email, honest), honest));
    assert.equal((await logIn(email, honest)).status, 200);
    refused(await app.http.get(ME, await portalToken(email)));
  });

  const mailedTokens: Record<string, (player: { email: string; token: string }) => Promise<Answer>> = {
    'a reset of the password': async ({ email }) =>
      post(
        'email/password-reset/confirm',
        { token: await resetTokenFor(email, honest), newPassword: PASSWORD },
        honest,
      ),
    'the token of the sign-up mail': ({ token }) => post('email/verify', { token }, hostile),
  };
  for (const [name, confirm] of Object.entries(mailedTokens))
    test(`signs in everywhere and is a proof after ${name}`, async () => {
      const player = await newSignUp();
      const { email, playerId } = player;
      const confirmed = await confirm(player);
      assert.equal(confirmed.status, 200, confirmed.text);
      const signedIn = await exchange(email, await codeFor(email, honest), honest);
      assert.deepEqual([signedIn.status, signedIn.body.playerId], [200, playerId], signedIn.text);
      const portal = await portalToken(email);
      assert.equal((await app.http.get(`${ME}/export`, portal)).status, 200);
      const proof = { provider: 'EmailOneTimeCode', email, code: await portalCodeFor(email) };
      const deleted = await app.http.delete(ME, withHeader({ bearer: signedIn.body.accessToken }, proof));
      assert.equal(deleted.status, 204, deleted.text);
    });
});

describe('a change of a profile', () => {
  test('is mailed to the verified addresses and audited in each tenant that knows the player', async () => {
    const player = await newPlayer(hostile);
    const email = someEmail();
    await linkEmail(email, hostile, player, { proof: await proofOf(player.wallet) });
    await signIn(player.wallet, honest);
    const before = (await mailsTo(email)).length;
    await linkMock(player, { proof: await proofOf(player.wallet) });
    const mails = await mailsTo(email);
    assert.deepEqual(
      [mails.length, mails[0]?.subject],
      [before + 1, 'A sign-in method was added to your player profile'],
    );
    const trail = (await auditOf(player.playerId)).slice(-2);
    assert.deepEqual(
      trail.map(({ action, tenant, ip }) => [action, tenant, ip === null]).toSorted(),
      [
        ['player.auth_method_linked', hostile.tenantId, false],
        ['player.auth_method_linked', honest.tenantId, true],
      ].toSorted(),
    );
  });

  test('is mailed also to the address that it removes', async () => {
    const player = await newPlayer(hostile);
    const [kept, removed] = [someEmail(), someEmail()];
    await linkEmail(kept, hostile, player);
    const { body: method } = await linkEmail(removed, hostile, player);
    for (const name of ['merge', 'export']) assert.equal((await changes[name]!(player)).status, 200, name);
    assert.equal((await app.http.delete(`${METHODS}/${method.id}`, player)).status, 204);
    const deleted = await app.http.delete(ME, player);
    assert.equal(deleted.status, 204);
    const subjectsTo = async (email: string) => (await mailsTo(email)).map(({ subject }) => subject);
    const subjects = [
      'A sign-in method was removed from your player profile',
      'Your player data was exported',
      'A profile was merged into your player profile',
    ];
    assert.deepEqual((await subjectsTo(removed)).slice(0, 3), subjects);
    assert.deepEqual((await subjectsTo(kept)).slice(0, 4), ['Your player profile was deleted', ...subjects]);
    const text = (await mailsTo(kept))[0]?.text ?? '';
    assert.ok(text.includes(deleted.headers.get('x-deletion-receipt')!), text);
  });

  test('is audited in at most 100 tenants: that of the token, then one of each workspace', async () => {
    const player = await newPlayer(hostile);
    await signIn(player.wallet, honest);
    const { rows: others } = await app.owner.query(
      `WITH tenant AS (
         INSERT INTO tenants (id, workspace_id, name, slug)
         SELECT gen_random_uuid(), $1, 'Other', gen_random_uuid() FROM generate_series(1, 150) RETURNING id)
       INSERT INTO tenant_access (tenant_id, player_id, first_seen_at, last_seen_at)
       SELECT id, $2, now() - interval '1 day', now() FROM tenant RETURNING tenant_id`,
      [hostile.workspaceId, player.playerId],
    );
    assert.equal(others.length, 150);
    const recorded = (await auditOf(player.playerId)).length;
    await linkMock(player, { proof: await proofOf(player.wallet) });
    const tenants = (await auditOf(player.playerId)).slice(recorded).map((record) => record.tenant);
    assert.equal(tenants.length, 100);
    for (const { tenantId } of [hostile, honest]) assert.ok(tenants.includes(tenantId));
  });
});

describe('a method that is linked as the primary one', () => {
  test('leaves a record of both changes', async () => {
    const player = await newPlayer(hostile);
    assert.equal((await linkMock(player, { setAsPrimary: true })).status, 201);
    assert.deepEqual(
      (await auditOf(player.playerId)).slice(-2).map(({ action }) => action),
      ['player.auth_method_linked', 'player.primary_auth_method_changed'],
    );
  });
});

describe('a repeated change of sign-in methods', () => {
  test('is neither mailed nor audited', async () => {
    const player = await newPlayer(hostile);
    const email = someEmail();
    await linkEmail(email, hostile, player, { proof: await proofOf(player.wallet) });
    const mailed = (await mailsTo(email)).length;
    const recorded = (await auditOf(player.playerId)).length;
    const [wallet] = await methodsOf(player);
    const token = mockToken();
    const link = async (more: object = {}) => {
      const answer = await linkMock(player, { token, ...more });
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    };
    const setPrimary = () => app.http.post(`${METHODS}/${wallet.id}/set-primary`, undefined, player);

    const linked = await link();
    assert.deepEqual(await link(), linked);
    await link({ proof: await proofOf(player.wallet) });
    assert.deepEqual(await link({ proof: await proofOf(player.wallet) }), linked);
    for (let time = 0; time < 2; time++)
      assert.deepEqual(await link({ setAsPrimary: true }), { ...linked, isPrimary: true });
    for (let time = 0; time < 2; time++) {
      const answer = await setPrimary();
      assert.deepEqual([answer.status, answer.body.isPrimary], [200, true]);
    }

    const mails = await mailsTo(email);
    assert.deepEqual(
      mails.slice(0, mails.length - mailed).map(({ subject }) => subject),
      [
        'The primary sign-in method of your player profile changed',
        'The primary sign-in method of your player profile changed',
        'A sign-in method was added to your player profile',
        'A sign-in method was added to your player profile',
      ],
    );
    assert.deepEqual(
      (await auditOf(player.playerId)).slice(recorded).map(({ action, details }) => [action, details]),
      [
        ['player.auth_method_linked', { authProvider: 'Mock' }],
        // The proof makes the method valid in all workspaces.
        ['player.auth_method_linked', { authProvider: 'Mock' }],
        ['player.primary_auth_method_changed', { authProvider: 'Mock' }],
        ['player.primary_auth_method_changed', { authProvider: 'EvmWallet' }],
      ],
    );
  });
});

describe('a block of a device', () => {
  test('is mailed to the verified addresses and audited in each tenant that knows the player, once', async () => {
    const player = await newPlayer(hostile);
    const email = someEmail();
    await linkEmail(email, hostile, player, { proof: await proofOf(player.wallet) });
    await signIn(player.wallet, honest);
    const deviceId = await deviceIdOf(player);
    const before = (await mailsTo(email)).length;
    const recorded = (await auditOf(player.playerId)).length;
    const named = await app.http.patch(
      `${DEVICES}/${deviceId}`,
      { deviceName: 'x', isTrusted: true },
      player,
    );
    assert.equal(named.status, 200, 'a name and the trust need no proof');
    for (const isBlocked of [true, true, false, false]) {
      const proof = await proofOf(player.wallet);
      assert.equal((await setBlocked(deviceId, isBlocked, player, { proof })).body.isBlocked, isBlocked);
    }
    const mails = await mailsTo(email);
    assert.deepEqual(
      mails.slice(0, mails.length - before).map(({ subject }) => subject),
      ['A device of your player profile was unblocked', 'A device of your player profile was blocked'],
    );
    const trail = (await auditOf(player.playerId)).slice(recorded);
    assert.deepEqual(
      trail
        .map(({ action, tenant, ip, details }) => [action, tenant, ip !== null, details.deviceId])
        .toSorted(),
      [
        ['player.device_blocked', hostile.tenantId, true, deviceId],
        ['player.device_blocked', honest.tenantId, false, undefined],
        ['player.device_unblocked', hostile.tenantId, true, deviceId],
        ['player.device_unblocked', honest.tenantId, false, undefined],
      ].toSorted(),
    );
  });

  test('waits for a concurrent first sign-in in another workspace', async () => {
    const player = await newPlayer(hostile);
    const deviceId = await deviceIdOf(player);
    const token = await signed(player.wallet, {
      gameKey: honest.gameKey,
    });
    const held = await holdLogins(app);
    const login = app.http.post('/api/player-auth/wallet/verify', token, { gameKey: honest.gameKey });
    await held.arrival();
    const blocked = setBlocked(deviceId, true, player);
    await untilBlocked(app);
    await held.release();
    assert.equal((await login).status, 200);
    refused(await blocked);
  });
});

describe('PROFILE_PROOF=off', () => {
  test('accepts changes without a proof', async () => {
    const trusting = await startTestApp({ env: { PROFILE_PROOF: 'off' }, databaseUrl: app.databaseUrl });
    const player = await newPlayer(hostile, honest);
    const body = { provider: 'Mock', token: mockToken() };
    assert.equal((await trusting.http.post(METHODS, body, player)).status, 201);
  });
});
