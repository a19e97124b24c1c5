import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRemoteJWKSet, jwtVerify, type JWK } from 'jose';
import { SYSTEM } from '../../../core/author.ts';
import type { ChangeFeed } from '../../../database/change-feed.ts';
import { openDatabase } from '../../../database/database.ts';
import { createVault, WrongMasterKeyError } from '../../../security/vault.ts';
import { acceptedUntil } from '../../../testing/accepted-until.ts';
import { arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { createForger, partOf } from '../../../testing/forgeries.ts';
import { startTestApp, type TestApp } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';
import { RotationRefusedError, rotateKeys } from './rotate-keys.ts';
import { openTokenSigner } from './token-signer.ts';

/** A change feed without notifications. */
const SILENT_FEED = { on: () => {}, close: async () => {} };

/** A change feed with one listener, whose notifications the test sends. */
function arrangeFeed(): { changes: ChangeFeed; notify: () => void } {
  let notify = () => {};
  const changes: ChangeFeed = {
    ...SILENT_FEED,
    on: (_, listener) => void (notify = () => listener(undefined)),
  };
  return { changes, notify: () => notify() };
}

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

describe('rotateKeys', () => {
  test('rejects no token while two servers switch to a new key under load', async () => {
    const one = await startTestApp();
    const two = await startTestApp({ databaseUrl: one.databaseUrl });
    const apps = [one, two];
    const tenant = await arrangeTenant(one);
    const [oldKid] = await kidsOf(one);
    // A third party that reloads the keys only when they are too old, and never because of an unknown key id.
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
      assert.equal(status, 400, `a token of the key ${kidOf(bearer)} is accepted`);
      counts.checks++;
    };
    const checkAll = async (app: TestApp) => {
      while (running) {
        const bearer = tokens[Math.floor(Math.random() * tokens.length)] ?? tokens.at(-1);
        if (bearer) await Promise.all([check(app, bearer), check(app, tokens.at(-1)!)]);
        else await sleep(1);
      }
    };
    const checkOffline = async () => {
      while (running) {
        const newest = tokens.at(-1);
        if (newest) await jwtVerify(newest, keys, { issuer: one.issuer });
        counts.offline++;
        await sleep(1);
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
    await eventually(() => !running || newOnes().length > 20);
    running = false;
    await load;

    assert.deepEqual(new Set(tokens.map(kidOf)), new Set([oldKid, kid]));
    for (const token of newOnes()) {
      const issuedBefore = (partOf(token, 1).iat + 1) * 1000;
      assert.ok(issuedBefore >= Date.parse(activeFrom), 'the new key signs nothing before activeFrom');
    }
    for (const app of apps) {
      assert.equal(kidOf((await arrangePlayer(app, tenant)).accessToken), kid);
      await Promise.all(tokens.slice(0, 100).map((token) => check(app, token)));
      assert.deepEqual(await kidsOf(app), [kid, oldKid], 'newest first');
    }
  });

  test('rejects the tokens of a key after its retirement', async () => {
    const app = await startTestApp();
    const tenant = await arrangeTenant(app);
    const { caller } = await arrangePlayer(app, tenant);
    const ask = async () => (await app.http.post('/api/game/player-events', { events: [] }, caller)).status;
    const { kid, activeFrom, oldRetireAt } = await rotate(app, 0);
    const lasts = Date.parse(oldRetireAt) - Date.parse(activeFrom);
    assert.equal(lasts / 60_000, 130, 'the maximum token lifetime of 2 hours plus 10 minutes');
    await eventually(async () => (await kidsOf(app)).length === 2);
    assert.equal(await ask(), 400);

    const { rows } = await app.owner.query(
      `UPDATE signing_keys SET retires_at = now() + interval '2 seconds' WHERE kid <> $1 RETURNING retires_at`,
      [kid],
    );
    await acceptedUntil(rows[0].retires_at, 400, ask);
    assert.deepEqual(await kidsOf(app), [kid]);
    assert.equal(kidOf((await arrangePlayer(app, tenant)).accessToken), kid);

    const retiring = (await rotate(app, 0)).oldRetireAt;
    await rotate(app, 3600);
    const { rows: kept } = await app.owner.query('SELECT retires_at FROM signing_keys WHERE kid = $1', [kid]);
    assert.equal(kept[0].retires_at.toISOString(), retiring, 'a later rotation does not prolong it');
  });

  test('signs with the new key and rejects all current tokens when the old keys are revoked', async () => {
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
    assert.equal(
      await ask(forge(player.accessToken, {})),
      401,
      'a token that an attacker signs with the old key is rejected too',
    );

    const refreshed = await app.http.post(
      '/api/player-auth/refresh',
      { refreshToken: player.refreshToken },
      { gameKey: tenant.gameKey },
    );
    assert.equal(refreshed.status, 200, 'refresh tokens still work');
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

  test('throws when a new key is waiting or the master key is wrong', async () => {
    const app = await startTestApp();
    const attempts = await Promise.allSettled(Array.from({ length: 4 }, () => rotate(app, 600)));
    const refused = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason] : []));
    assert.equal(refused.length, 3, 'one of four parallel rotations succeeds');
    for (const reason of refused) {
      assert.ok(reason instanceof RotationRefusedError);
      assert.match(
        reason.message,
        /^The key [0-9a-f-]{36} is waiting already\. It starts to sign at [^ ]+Z\.$/,
      );
    }
    await withDatabase(app, (database) =>
      assert.rejects(
        rotateKeys(database, createVault(Buffer.alloc(32)), SYSTEM, {
          activateInSeconds: 0,
          revokeOld: true,
        }),
        WrongMasterKeyError,
      ),
    );
    await eventually(async () => (await kidsOf(app)).length === 2);
    await app.owner.query('DELETE FROM signing_keys');
    await assert.rejects(rotate(app, 0), RotationRefusedError);
  });
});

const servicesOf = ({ issuer }: TestApp) => ({ vault, changes: SILENT_FEED, issuer });

describe('openTokenSigner', () => {
  test('accepts tokens of a new key without a notification, and reloads the keys at most once per second', async () => {
    const app = await startTestApp();
    await withDatabase(app, async (database) => {
      let reads = 0;
      const countingDatabase = {
        ...database,
        rows: <Row>(statement: Parameters<typeof database.rows>[0]) => {
          reads++;
          return database.rows<Row>(statement);
        },
      };
      const uninformed = await openTokenSigner({ ...servicesOf(app), database: countingDatabase });
      await rotate(app, 0);
      const informed = await openTokenSigner({ ...servicesOf(app), database });
      const token = informed.sign('saas', 'some-account', {}, 60);
      assert.notEqual(
        kidOf(uninformed.sign('saas', 'some-account', {}, 60)),
        kidOf(token),
        'the process does not know the new key',
      );
      reads = 0;
      const many = await Promise.all(Array.from({ length: 20 }, () => uninformed.verify('saas', token)));
      assert.ok(many.every((claims) => claims?.sub === 'some-account'));
      assert.equal(reads, 1);

      const { forge } = await createForger(app);
      const since = Date.now();
      for (let made = 0; made < 200; made++)
        assert.equal(
          await uninformed.verify('saas', forge(token, {}, { kid: `invented ${made}` })),
          undefined,
        );
      assert.ok(reads <= 2 + (Date.now() - since) / 1000, `${reads} reads`);
      assert.ok(await uninformed.verify('saas', token));
      await Promise.all([uninformed.close(), informed.close()]);
    });
  });

  test('reloads the keys periodically without a notification', async () => {
    const app = await startTestApp();
    await withDatabase(app, async (database) => {
      const uninformed = await openTokenSigner({ ...servicesOf(app), database }, 20);
      const { kid } = await rotate(app, 0);
      await eventually(() => kidOf(uninformed.sign('saas', 'some-account', {}, 60)) === kid);
      await uninformed.close();
    });
  });

  test('knows keys that change during its first read, and repeats a reload that failed', async () => {
    const app = await startTestApp();
    await withDatabase(app, async (database) => {
      const { changes, notify } = arrangeFeed();
      let reads = 0;
      let rotated = '';
      const unsteady = {
        ...database,
        async rows<Row>(statement: Parameters<typeof database.rows>[0]) {
          const number = ++reads;
          if (number === 3) throw new Error('No connection is free.');
          const rows = await database.rows<Row>(statement);
          // The first statement finds out whether there is a key.
          if (number === 2) {
            ({ kid: rotated } = await rotate(app, 0, true));
            notify();
          }
          return rows;
        },
      };
      const signer = await openTokenSigner({ ...servicesOf(app), database: unsteady, changes });
      await eventually(() => kidOf(signer.sign('saas', 'some-account', {}, 60)) === rotated);
      await signer.close();
    });
  });

  test('reads the keys once more for all changes that are notified during a reload', async () => {
    const app = await startTestApp();
    await withDatabase(app, async (database) => {
      const { changes, notify } = arrangeFeed();
      let reads = 0;
      let released: Promise<void> | undefined;
      const slow = {
        ...database,
        async rows<Row>(statement: Parameters<typeof database.rows>[0]) {
          reads++;
          await released;
          return database.rows<Row>(statement);
        },
      };
      const signer = await openTokenSigner({ ...servicesOf(app), database: slow, changes });
      reads = 0;
      const { promise, resolve } = Promise.withResolvers<void>();
      released = promise;
      notify();
      await eventually(() => reads === 1);
      for (let count = 0; count < 5; count++) notify();
      resolve();
      await signer.close();
      assert.equal(reads, 2);
    });
  });

  test('refuses tokens of another issuer, and logs that PUBLIC_URL differs', async () => {
    const app = await startTestApp();
    await withDatabase(app, async (database) => {
      const logged: object[] = [];
      const logger = { warn: (details: object) => void logged.push(details) };
      const signer = await openTokenSigner({ ...servicesOf(app), database, logger });
      const elsewhere = await openTokenSigner({
        ...servicesOf(app),
        database,
        issuer: 'https://other.example',
      });
      const token = elsewhere.sign('saas', 'some-account', {}, 60);
      assert.equal(await signer.verify('saas', token), undefined);
      assert.deepEqual(logged, [{ setting: 'PUBLIC_URL', issuer: 'https://other.example' }]);
      // A signature that is not ours logs nothing, because anybody can send it.
      assert.equal(await signer.verify('saas', token.slice(0, -10)), undefined);
      assert.equal(logged.length, 1);
      await Promise.all([signer.close(), elsewhere.close()]);
    });
  });

  test('throws when the lifetime of a token is above 2 hours', async () => {
    const app = await startTestApp();
    await withDatabase(app, async (database) => {
      const signer = await openTokenSigner({ ...servicesOf(app), database });
      assert.ok(signer.sign('saas', 'some-account', {}, 7200));
      assert.throws(() => signer.sign('saas', 'some-account', {}, 7201), RangeError);
      await signer.close();
    });
  });
});
