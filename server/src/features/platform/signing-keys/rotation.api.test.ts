import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createRemoteJWKSet, jwtVerify, type JWK } from 'jose';
import { openDatabase } from '../../../database/database.ts';
import { createVault, WrongMasterKeyError } from '../../../security/vault.ts';
import { arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { createForger, partOf } from '../../../testing/forgeries.ts';
import { startTestApp, TEST_MASTER_KEY, type TestApp } from '../../../testing/test-app.ts';
import { openTokenSigner, RotationRefusedError, rotateKeys } from './index.ts';

const vault = createVault(Buffer.from(TEST_MASTER_KEY, 'hex'));
const SYSTEM = { actor: { kind: 'system', id: null } } as const;
/** A process whose connection to the change feed says nothing. */
const DEAF = { on: () => {}, close: async () => {} };

async function withDatabase<Result>(
  app: TestApp,
  work: (database: ReturnType<typeof openDatabase>) => Promise<Result>,
) {
  const database = openDatabase(app.databaseUrl, { poolSize: 2 });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const rotate = (app: TestApp, activateInSeconds: number, revokeOld = false) =>
  withDatabase(app, (database) => rotateKeys(database, vault, SYSTEM, { activateInSeconds, revokeOld }));
const kidsOf = async (app: TestApp): Promise<string[]> =>
  (await app.http.get('/.well-known/jwks.json')).body.keys.map(({ kid }: JWK) => kid);
const kidOf = (token: string): string => partOf(token, 0).kid;

test('under load no token is refused while two servers go over to a new key', async () => {
  const one = await startTestApp();
  const two = await startTestApp({ databaseUrl: one.databaseUrl });
  const apps = [one, two];
  const tenant = await arrangeTenant(one);
  const [oldKid] = await kidsOf(one);
  // A third party that obeys the document's age alone, and never asks again because it does not know a key.
  const keys = createRemoteJWKSet(new URL(`${one.url}/.well-known/jwks.json`), {
    cacheMaxAge: 150,
    cooldownDuration: 3_600_000,
  });
  const tokens: string[] = [];
  const counts = { checks: 0, offline: 0 };
  let running = true;

  const signIn = async (app: TestApp) => {
    while (running) tokens.push((await arrangePlayer(app, tenant)).accessToken);
  };
  const check = async (app: TestApp, bearer: string) => {
    const { status } = await app.http.post(
      '/api/game/player-events',
      { events: [] },
      { gameKey: tenant.gameKey, bearer },
    );
    assert.equal(status, 400, `a token of the key ${kidOf(bearer)} is taken`);
    counts.checks++;
  };
  const checkAll = async (app: TestApp) => {
    while (running) {
      const bearer = tokens[Math.floor(Math.random() * tokens.length)] ?? tokens.at(-1);
      if (bearer) await Promise.all([check(app, bearer), check(app, tokens.at(-1)!)]);
      else await wait(1);
    }
  };
  const checkOffline = async () => {
    while (running) {
      const newest = tokens.at(-1);
      if (newest) await jwtVerify(newest, keys, { issuer: one.issuer });
      counts.offline++;
      await wait(1);
    }
  };
  const load = Promise.all([
    ...apps.map(signIn),
    ...apps.map(checkAll),
    ...apps.map(checkAll),
    checkOffline(),
  ]);
  load.catch(() => (running = false));

  await eventually(() => counts.checks > 50 && counts.offline > 5);
  const { kid, activeFrom } = await rotate(one, 2);
  const newOnes = () => tokens.filter((token) => kidOf(token) === kid);
  await eventually(() => !running || newOnes().length > 100, 20_000);
  running = false;
  await load;

  assert.deepEqual(new Set(tokens.map(kidOf)), new Set([oldKid, kid]));
  for (const token of newOnes()) {
    const issuedBefore = (partOf(token, 1).iat + 1) * 1000;
    assert.ok(issuedBefore >= Date.parse(activeFrom), 'the new key signs nothing before its time');
  }
  for (const app of apps) {
    assert.equal(kidOf((await arrangePlayer(app, tenant)).accessToken), kid);
    await Promise.all(tokens.slice(0, 100).map((token) => check(app, token)));
    assert.deepEqual(await kidsOf(app), [kid, oldKid], 'the newest first');
  }
});

test('the tokens of a key are refused once it has retired, by the clock alone', async () => {
  const app = await startTestApp();
  const tenant = await arrangeTenant(app);
  const { caller } = await arrangePlayer(app, tenant);
  const ask = async () => (await app.http.post('/api/game/player-events', { events: [] }, caller)).status;
  const { kid, activeFrom, oldRetireAt } = await rotate(app, 0);
  const lasts = Date.parse(oldRetireAt) - Date.parse(activeFrom);
  assert.equal(lasts / 60_000, 130, 'the longest token’s two hours, and ten minutes');
  await eventually(async () => (await kidsOf(app)).length === 2);
  assert.equal(await ask(), 400);

  const end = Date.now() + 700;
  await app.owner.query(`UPDATE signing_keys SET retires_at = $2 WHERE kid <> $1`, [kid, new Date(end)]);
  await wait(300);
  assert.equal(await ask(), 400, 'not yet; and now it is remembered');
  await wait(end - Date.now() + 20);
  assert.equal(await ask(), 401);
  assert.deepEqual(await kidsOf(app), [kid]);
  assert.equal(kidOf((await arrangePlayer(app, tenant)).accessToken), kid);
});

test('after a leak the new key signs at once, and all tokens in use are refused', async () => {
  const app = await startTestApp();
  const tenant = await arrangeTenant(app);
  const player = await arrangePlayer(app, tenant);
  const { forge } = await createForger(app);
  const ask = async (bearer: string) =>
    (await app.http.post('/api/game/player-events', { events: [] }, { gameKey: tenant.gameKey, bearer }))
      .status;
  assert.equal(await ask(player.accessToken), 400);
  await rotate(app, 600);
  const { kid } = await rotate(app, 0, true);
  await eventually(async () => (await kidsOf(app)).join() === kid);
  assert.equal(await ask(player.accessToken), 401);
  assert.equal(await ask(forge(player.accessToken, {})), 401, 'nor what a thief signs with the old key');

  const refreshed = await app.http.post(
    '/api/player-auth/refresh',
    { refreshToken: player.refreshToken },
    { gameKey: tenant.gameKey },
  );
  assert.equal(refreshed.status, 200, 'a refresh token is as good as ever');
  assert.equal(kidOf(refreshed.body.accessToken), kid);
  assert.equal(await ask(refreshed.body.accessToken), 400);
  const { rows } = await app.owner.query(
    `SELECT action, actor_kind, target_id, tenant_id FROM audit_records WHERE action LIKE 'signing_key.%' ORDER BY id`,
  );
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['signing_key.rotated', 'signing_key.revoked'],
  );
  assert.deepEqual(rows[1], {
    action: 'signing_key.revoked',
    actor_kind: 'system',
    target_id: kid,
    tenant_id: null,
  });
});

test('while a key is waiting, or with another master key, nothing is rotated', async () => {
  const app = await startTestApp();
  const attempts = await Promise.allSettled(Array.from({ length: 4 }, () => rotate(app, 600)));
  const refused = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason] : []));
  assert.equal(refused.length, 3, 'of four at once one is first');
  for (const reason of refused) {
    assert.ok(reason instanceof RotationRefusedError);
    assert.match(
      reason.message,
      /^The key [0-9a-f-]{36} is waiting already\. It starts to sign at [^ ]+Z\.$/,
    );
  }
  await withDatabase(app, (database) =>
    assert.rejects(
      rotateKeys(database, createVault(Buffer.alloc(32)), SYSTEM, { activateInSeconds: 0, revokeOld: true }),
      WrongMasterKeyError,
    ),
  );
  await eventually(async () => (await kidsOf(app)).length === 2);
  await app.owner.query('DELETE FROM signing_keys');
  await assert.rejects(rotate(app, 0), RotationRefusedError);
});

test('a process that was never told of a new key takes its tokens, and looks for unknown keys once a second', async () => {
  const app = await startTestApp();
  await withDatabase(app, async (database) => {
    let reads = 0;
    const counted = {
      ...database,
      rows: <Row>(statement: Parameters<typeof database.rows>[0]) => {
        reads++;
        return database.rows<Row>(statement);
      },
    };
    const deaf = await openTokenSigner(counted, vault, DEAF, app.issuer);
    await rotate(app, 0);
    const told = await openTokenSigner(database, vault, DEAF, app.issuer);
    const token = told.sign('saas', 'somebody', {}, 60);
    assert.notEqual(
      kidOf(deaf.sign('saas', 'somebody', {}, 60)),
      kidOf(token),
      'it has not heard of the key',
    );
    reads = 0;
    const many = await Promise.all(Array.from({ length: 20 }, () => deaf.verify('saas', token)));
    assert.ok(many.every((claims) => claims?.sub === 'somebody'));
    assert.equal(reads, 1);

    const { forge } = await createForger(app);
    const since = Date.now();
    for (let made = 0; made < 200; made++)
      assert.equal(await deaf.verify('saas', forge(token, {}, { kid: `invented ${made}` })), undefined);
    assert.ok(reads <= 2 + (Date.now() - since) / 1000, `${reads} reads`);
    assert.ok(await deaf.verify('saas', token));
    await Promise.all([deaf.close(), told.close()]);
  });
});

test('a process that is never told of anything reads the keys again by itself', async () => {
  const app = await startTestApp();
  await withDatabase(app, async (database) => {
    const deaf = await openTokenSigner(database, vault, DEAF, app.issuer, { reloadMs: 20 });
    const { kid } = await rotate(app, 0);
    await eventually(() => kidOf(deaf.sign('saas', 'somebody', {}, 60)) === kid);
    await deaf.close();
  });
});

test('no token is signed that would outlive its key', async () => {
  const app = await startTestApp();
  await withDatabase(app, async (database) => {
    const signer = await openTokenSigner(database, vault, DEAF, app.issuer);
    assert.ok(signer.sign('saas', 'somebody', {}, 7200));
    assert.throws(() => signer.sign('saas', 'somebody', {}, 7201), RangeError);
    await signer.close();
  });
});
