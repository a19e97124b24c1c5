import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import type { ProblemError } from '../../../core/problem.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import {
  arrangeWalletPlayer,
  arrangeWalletTenant,
  logInWallet,
  someRecord,
  WALLET_ENV,
  walletPlayer,
} from '../../../testing/wallet-recording.ts';
import { createWalletLedger } from './ledger.ts';
import { hashChain } from './recorders/hash-chain.ts';
import { setScore } from './set-score.ts';
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
  const count = await verifyLedger(database, tenantId, {}, (problem) => found.push(problem));
  assert.deepEqual(found, []);
  return count;
}

test(`${WRITERS} parallel writers over two processes make one chain, and numbers without gaps`, async () => {
  const tenant = await arrangeWalletTenant(app);
  const player = await arrangeWalletPlayer(app, tenant);
  const writers = oneTo(WRITERS).map((number) => walletPlayer(number % 2 ? app : second, player.bearer));
  const done = await Promise.all(
    writers.map(async (writer) => {
      const session = await writer.startSession({ device: 'PC', startTime: 1 });
      const match = await writer.startMatch({ level: 'cave' });
      const ids: number[] = [];
      for (let count = 0; count < RECORDS; count++) {
        // Every third is refused, between others of the same batch.
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

test('a batch that fails fails each of its requests, and the next ones go on', async () => {
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
  assert.equal(requestIds.size, 20, 'each has a problem document of its own');
  assert.ok(failed.every(({ status }) => status === 503));
  assert.equal((await player.read(player.playerIndex)).body.score, 0);
  assert.equal((await player.setScore({ newScore: 7 })).status, 200);
  assert.equal(await assertSound(tenant.tenantId), 2);
});

test('more than can wait are told to come back', async () => {
  const tenant = await arrangeWalletTenant(app);
  const player = await arrangeWalletPlayer(app, tenant);
  const ledger = createWalletLedger(database, hashChain);
  const actor = { playerIndex: player.playerIndex, isVerified: true };
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

test('of two wallet logins and an add/anon at once over two processes the chain has one player', async () => {
  const tenant = await arrangeWalletTenant(app);
  const players = await Promise.all(
    oneTo(16).map((number) =>
      arrangeWalletPlayer(number % 2 ? app : second, tenant, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'),
    ),
  );
  assert.deepEqual(new Set(players.map(({ playerIndex }) => playerIndex)), new Set([1]));
  assert.equal(await assertSound(tenant.tenantId), 1);
});

test('what comes on a key is charged with the batch that writes it, up to the last unit of a hard stop', async () => {
  const tenant = await arrangeWalletTenant(app);
  const player = await arrangeWalletPlayer(app, tenant);
  const caller = { bearer: player.bearer, gameKey: tenant.gameKey };
  const setScoreOnKey = (newScore: number) =>
    (newScore % 2 ? app : second).http.post('/api/BlockchainStorage/players/set/score', { newScore }, caller);
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
  assert.equal(await used(), 1, 'the login');
  assert.equal((await player.setScore({ newScore: 1 })).status, 200);
  assert.equal(await used(), 1, 'nothing that comes without a key');
  assert.equal((await logInWallet(app, tenant, player.address)).status, 200);
  assert.equal(await used(), 2, 'a login that enters nothing');

  await app.owner.query('UPDATE workspaces SET monthly_units = 42, hard_stop = true WHERE id = $1', [
    tenant.workspaceId,
  ]);
  const answers = await Promise.all(oneTo(WRITERS).map(setScoreOnKey));
  const accepted = answers.filter(({ status }) => status === 200);
  assert.equal(accepted.length, 40);
  for (const { status, body } of answers.filter((answer) => answer.status !== 200))
    assert.deepEqual([status, body.code], [429, 'quota_exceeded']);
  assert.equal(await used(), 42);
  assert.equal(await assertSound(tenant.tenantId), 2 + 40);
});
