import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import type { ProblemError } from '../../../core/problem.ts';
import { hashPassword } from '../../../security/passwords.ts';
import { avoidEndOf } from '../../../testing/avoid-end-of.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import {
  arrangeWalletPlayer,
  arrangeWalletTenant,
  logInWallet,
  PASSWORD,
  someAddress,
  someRecord,
  WALLET_ENV,
  walletPlayer,
} from '../../../testing/wallet-recording.ts';
import { addPlayer } from './add-player.ts';
import { createWalletLedger } from './ledger.ts';
import { hashChainRecorder } from './recorder.ts';
import { proveAddress, setScore } from './player-commands.ts';
import { verifyLedger } from './verify-ledger.ts';

const app = await startTestApp({ env: WALLET_ENV });
const second = await startTestApp({ env: WALLET_ENV, databaseUrl: app.databaseUrl });
const database = openDatabase(app.databaseUrl, { poolSize: 1 });
test.after(() => database.close());

const WRITERS = 64;
const RECORDS = 12;

const oneTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

async function assertSound(tenantId: string): Promise<number> {
  const found: unknown[] = [];
  let count = 0;
  await verifyLedger(database, {
    tenantId,
    range: {},
    onRows: (rows) => (count += rows),
    report: (row) => found.push(row),
  });
  assert.deepEqual(found, []);
  return count;
}

describe('wallet ledger under load', () => {
  test(`makes one chain with numbers without gaps from ${WRITERS} writers on two processes`, async () => {
    const tenant = await arrangeWalletTenant(app);
    const player = await arrangeWalletPlayer(app, tenant);
    const writers = oneTo(WRITERS).map((number) => walletPlayer(number % 2 ? app : second, player.bearer));
    const done = await Promise.all(
      writers.map(async (writer) => {
        const session = await writer.startSession({ device: 'PC', startTime: 1 });
        const match = await writer.startMatch({ level: 'cave' });
        const ids: number[] = [];
        for (let count = 0; count < RECORDS; count++) {
          // Every third command is refused, between accepted commands of the same batch.
          if (count % 3 === 2) await writer.addRecord(someRecord(999_999));
          const record = await writer.addRecord(someRecord(match.body.matchSessionId));
          assert.equal(record.status, 200, record.text);
          ids.push(record.body.id);
        }
        const part = await writer.endPart({
          matchSessionId: match.body.matchSessionId,
          score: 1,
          winLoss: 1,
          matchPosition: 1,
        });
        return {
          ids,
          session: session.body.sessionId,
          match: match.body.matchSessionId,
          playData: part.body.playDataId,
        };
      }),
    );
    const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
    assert.deepEqual(sorted(done.flatMap(({ ids }) => ids)), oneTo(WRITERS * RECORDS));
    assert.deepEqual(sorted(done.map(({ session }) => session)), oneTo(WRITERS));
    assert.deepEqual(sorted(done.map(({ match }) => match)), oneTo(WRITERS));
    assert.deepEqual(sorted(done.map(({ playData }) => playData)), oneTo(WRITERS));
    assert.equal(await assertSound(tenant.tenantId), 1 + WRITERS * (RECORDS + 3));
  });

  test('fails each request of a failed batch, and accepts the next ones', async () => {
    const tenant = await arrangeWalletTenant(app);
    const player = await arrangeWalletPlayer(app, tenant);
    await app.owner.query(`
    CREATE FUNCTION break_down() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.tenant_id = '${tenant.tenantId}' THEN RAISE EXCEPTION 'too slow' USING ERRCODE = 'query_canceled'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER break_down BEFORE INSERT ON wallet_ledger_entries FOR EACH ROW EXECUTE FUNCTION break_down()`);
    const failed = await Promise.all(oneTo(20).map((newScore) => player.setScore({ newScore })));
    await app.owner.query('DROP TRIGGER break_down ON wallet_ledger_entries');
    const requestIds = new Set(failed.map(({ body }) => body.requestId));
    assert.equal(requestIds.size, 20, 'each request has its own problem document');
    assert.ok(failed.every(({ status }) => status === 503));
    assert.equal((await player.read(player.playerIndex)).body.score, 0);
    assert.equal((await player.setScore({ newScore: 7 })).status, 200);
    assert.equal(await assertSound(tenant.tenantId), 2);
  });

  test('returns busy to commands beyond the queue limit', async () => {
    const tenant = await arrangeWalletTenant(app);
    const player = await arrangeWalletPlayer(app, tenant);
    const ledger = createWalletLedger(database, hashChainRecorder);
    const actor = { ...player, isVerified: true };
    const lock = await app.owner.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT FROM wallet_ledgers WHERE tenant_id = $1 FOR UPDATE', [tenant.tenantId]);
    const given = oneTo(2_003).map((score) => ledger.record(tenant.tenantId, setScore(actor, BigInt(score))));
    const settled = Promise.allSettled(given);
    await lock.query('COMMIT');
    lock.release();
    const refused = (await settled).filter((outcome) => outcome.status === 'rejected');
    assert.deepEqual(
      refused.map(({ reason }) => (reason as ProblemError).code),
      ['busy', 'busy', 'busy'],
    );
    assert.equal(await assertSound(tenant.tenantId), 2_001);
  });

  test('adds one player for concurrent wallet logins of one address on two processes', async () => {
    const tenant = await arrangeWalletTenant(app);
    const players = await Promise.all(
      oneTo(16).map((number) =>
        arrangeWalletPlayer(number % 2 ? app : second, tenant, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'),
      ),
    );
    assert.deepEqual(new Set(players.map(({ playerIndex }) => playerIndex)), new Set([1]));
    assert.equal(await assertSound(tenant.tenantId), 1);
  });

  test('accepts no password of a player whose address is proved in the same batch', async () => {
    const tenant = await arrangeWalletTenant(app);
    const ledger = createWalletLedger(database, hashChainRecorder);
    const [playerId, address] = ['ada', someAddress()];
    const passwordHash = await hashPassword(PASSWORD, null);
    // Commands that arrive together share a batch.
    const [added, proved] = await Promise.all([
      ledger.record(tenant.tenantId, addPlayer({ playerId, address }, passwordHash)),
      ledger.record(tenant.tenantId, proveAddress(address)),
    ]);
    assert.deepEqual([added.player.isVerified, proved.player.isVerified], [false, true]);
    assert.equal(proved.player.playerIndex, added.player.playerIndex);
    const login = await app.http.post(
      '/api/Auth/wallet/login/password',
      { playerId, signInPassword: PASSWORD },
      { gameKey: tenant.gameKey },
    );
    assert.deepEqual([login.status, login.body.code], [401, 'invalid_credentials']);
    assert.equal(await assertSound(tenant.tenantId), 2);
  });

  test('charges requests with a key in the batch, up to the last unit of a hard stop', async () => {
    await avoidEndOf('month');
    const tenant = await arrangeWalletTenant(app);
    const player = await arrangeWalletPlayer(app, tenant);
    const caller = { bearer: player.bearer, gameKey: tenant.gameKey };
    const setScoreOnKey = (newScore: number) =>
      (newScore % 2 ? app : second).http.post(
        '/api/BlockchainStorage/players/set/score',
        { newScore },
        caller,
      );
    const used = async () =>
      Number(
        (
          await app.owner.query(
            `SELECT (SELECT coalesce(sum(units), 0) FROM usage_entries WHERE workspace_id = $1)
                + (SELECT coalesce(sum(units), 0) FROM usage_totals WHERE workspace_id = $1) AS used`,
            [tenant.workspaceId],
          )
        ).rows[0].used,
      );
    assert.equal(await used(), 1, 'the login is charged');
    assert.equal((await player.setScore({ newScore: 1 })).status, 200);
    assert.equal(await used(), 1, 'a request without a key is not charged');
    assert.equal((await logInWallet(app, tenant, player.address)).status, 200);
    assert.equal(await used(), 2, 'a login without an entry is charged');

    const mixed = await Promise.all(
      oneTo(8).map((number) =>
        number % 2
          ? setScoreOnKey(number)
          : app.http.post('/api/BlockchainStorage/records/match/add', someRecord(999_999), caller),
      ),
    );
    assert.deepEqual(
      mixed.map(({ status }) => status),
      [200, 404, 200, 404, 200, 404, 200, 404],
    );
    assert.equal(await used(), 6, 'refused requests are not charged');

    await app.owner.query('UPDATE workspaces SET monthly_units = 46, hard_stop = true WHERE id = $1', [
      tenant.workspaceId,
    ]);
    const answers = await Promise.all(oneTo(WRITERS).map(setScoreOnKey));
    const accepted = answers.filter(({ status }) => status === 200);
    assert.equal(accepted.length, 40);
    for (const { status, body } of answers.filter((answer) => answer.status !== 200))
      assert.deepEqual([status, body.code], [429, 'quota_exceeded']);
    assert.equal(await used(), 46);
    assert.equal(await assertSound(tenant.tenantId), 2 + 4 + 40);
  });
});
