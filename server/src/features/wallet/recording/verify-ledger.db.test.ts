import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { raw } from 'sql-template-tag';
import type { AlteredRow } from '../../../core/row-hash.ts';
import { openDatabase } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import { verify } from '../../../cli/verify.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import {
  addAnonymous,
  arrangeWalletPlayer,
  arrangeWalletTenant,
  someAddress,
  somePart,
  someRecord,
  WALLET_ENV,
} from '../../../testing/wallet-recording.ts';
import { hashContent, hashLink } from './ledger-entry.ts';
import { createWalletLedger } from './ledger.ts';
import { setScore } from './player-commands.ts';
import { listEntries } from './queries.ts';
import { hashChainRecorder } from './recorder.ts';
import { verifyLedger } from './verify-ledger.ts';

const app = await startTestApp({ env: WALLET_ENV });
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
test.after(() => database.close());

const tenant = await arrangeWalletTenant(app);
const bystander = await arrangeWalletTenant(app, tenant.issuer);
await arrangeWalletPlayer(app, bystander);

/** Adds entries of every kind, some of them twice. */
async function fillLedger(): Promise<void> {
  const address = someAddress();
  await addAnonymous(app, tenant, { playerId: 'ada', playerAddress: address });
  const ada = await arrangeWalletPlayer(app, tenant, address);
  const bob = await arrangeWalletPlayer(app, tenant);
  for (const player of [ada, bob, ada]) {
    await player.setScore({ newScore: 5 });
    const { sessionId } = (await player.startSession({ device: 'PC', startTime: 1 })).body;
    const { matchSessionId } = (await player.startMatch({ level: 'cave' })).body;
    await player.addRecord(someRecord(matchSessionId));
    await player.endPart(somePart(matchSessionId));
    await player.endMatch({ matchSessionId });
    await player.endSession({ sessionId });
  }
  await ada.setScore({ newScore: 9 });
  await ada.startMatch({ level: 'open' });
  await ada.startSession({ device: 'open', startTime: 1 });
}
await fillLedger();

async function verified(
  tenantId = tenant.tenantId,
  range = {},
): Promise<{ rows: number; found: AlteredRow[] }> {
  const found: AlteredRow[] = [];
  let rows = 0;
  await verifyLedger(database, {
    tenantId,
    range,
    onRows: (more) => (rows += more),
    report: (row) => found.push(row),
  });
  return { rows, found };
}

const problems = async (tenantId = tenant.tenantId, range = {}) => (await verified(tenantId, range)).found;

const countVerified = async (range = {}) => (await verified(tenant.tenantId, range)).rows;

const asText = (found: AlteredRow[]) => found.map(({ table, id, problem }) => `${table} ${id} ${problem}`);

/** Alters rows, returns what verify reports, and restores the rows. */
async function whileAltered(statement: string, values: unknown[] = [tenant.tenantId]): Promise<string[]> {
  const tables = [
    'wallet_ledgers',
    'wallet_ledger_entries',
    'wallet_players',
    'wallet_sessions',
    'wallet_matches',
  ];
  for (const table of tables) await app.owner.query(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}`);
  try {
    const { rowCount } = await app.owner.query(statement, values);
    assert.ok(rowCount! > 0, statement);
    return asText(await problems());
  } finally {
    for (const table of tables) {
      await app.owner.query(`DELETE FROM ${table}`);
      await app.owner.query(`INSERT INTO ${table} SELECT * FROM kept_${table}`);
      await app.owner.query(`DROP TABLE kept_${table}`);
    }
  }
}

describe('verifyLedger', () => {
  test('reports nothing for an unchanged ledger and for an empty one', async () => {
    assert.deepEqual(await problems(), []);
    assert.deepEqual(await problems(bystander.tenantId), []);
    assert.deepEqual(await problems(randomUUID()), []);
    const { rows } = await app.owner.query(
      'SELECT count(*)::int AS count FROM wallet_ledger_entries WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    assert.equal(await countVerified(), rows[0].count);
  });

  test('verifies a ledger that it reads in several chunks', async () => {
    const large = await arrangeWalletTenant(app, tenant.issuer);
    const player = await arrangeWalletPlayer(app, large);
    const ledger = createWalletLedger(database, hashChainRecorder);
    const actor = { ...player, isVerified: true };
    for (let group = 0; group < 3; group++)
      await Promise.all(
        Array.from({ length: 1_500 }, () => ledger.record(large.tenantId, setScore(actor, 1n))),
      );
    await ledger.close();
    assert.deepEqual(await verified(large.tenantId), { rows: 4_501, found: [] });
  });

  const MIDDLE = 5;

  test('reports an entry with any altered column, and no other entry', async () => {
    const columns: Record<string, string[]> = {
      recorded_at: [`recorded_at + interval '1 microsecond'`, `'infinity'`],
      kind: [`kind || ' '`, `'player.added'`],
      player_index: ['player_index + 1'],
      body: [`body || ' '`, `'{}'`, `''`, `replace(body, '1', '2')`],
      salt: [`set_byte(salt, 0, 255 - get_byte(salt, 0))`, `''`],
      content_hash: [`set_byte(content_hash, 31, 255 - get_byte(content_hash, 31))`],
      previous_hash: [`set_byte(previous_hash, 31, 255 - get_byte(previous_hash, 31))`],
      hash: [`set_byte(hash, 0, 255 - get_byte(hash, 0))`],
      transaction_hash: [`set_byte(transaction_hash, 0, 255 - get_byte(transaction_hash, 0))`],
    };
    const { rows } = await app.owner.query(
      `SELECT column_name FROM information_schema.columns WHERE table_name = 'wallet_ledger_entries'`,
    );
    const others = rows.map((row) => row.column_name).filter((name) => !(name in columns));
    assert.deepEqual(others.toSorted(), ['entry_index', 'tenant_id'], 'the test alters every column');

    for (const [column, values] of Object.entries(columns)) {
      for (const value of values) {
        const found = await whileAltered(
          `UPDATE wallet_ledger_entries SET ${column} = ${value} WHERE tenant_id = $1 AND entry_index = ${MIDDLE}`,
        );
        assert.ok(
          found.every((problem) => problem.startsWith(`wallet_ledger_entries ${MIDDLE} `)),
          `${column} = ${value}: ${found}`,
        );
        assert.notEqual(found.length, 0, `${column} = ${value}`);
      }
    }
  });

  test('leaves altered bodies readable: the API returns the stored text', async () => {
    const at = [tenant.tenantId, MIDDLE];
    const { rows } = await app.owner.query(
      `SELECT body, '0x' || encode(transaction_hash, 'hex') AS hash FROM wallet_ledger_entries
     WHERE tenant_id = $1 AND entry_index = $2`,
      at,
    );
    const [{ body, hash }] = rows;
    const setBody = (text: string) =>
      app.owner.query(
        'UPDATE wallet_ledger_entries SET body = $3 WHERE tenant_id = $1 AND entry_index = $2',
        [...at, text],
      );
    for (const nonsense of ['', '{"score"', 'null', '7', '"x"']) {
      await setBody(nonsense);
      const shown = await app.http.get(`/api/BlockchainStorage/transactions/${hash}`, tenant);
      assert.equal(shown.status, 200, shown.text);
      assert.ok(shown.body.entries[0].canonical.endsWith(`,${nonsense}]`));
    }
    await setBody(body);
  });

  test('reports missing entries at both ends and in the middle', async () => {
    const remove = (which: string) =>
      whileAltered(`DELETE FROM wallet_ledger_entries WHERE tenant_id = $1 AND entry_index ${which}`);
    const last = await countVerified();
    assert.deepEqual(await remove('= 1'), ['wallet_ledger_entries 1 is missing']);
    assert.deepEqual(await remove(`= ${MIDDLE}`), [`wallet_ledger_entries ${MIDDLE} is missing`]);
    assert.deepEqual(await remove('BETWEEN 3 AND 6'), ['wallet_ledger_entries 3 to 6 is missing']);
    assert.deepEqual(await remove(`= ${last}`), [`wallet_ledger_entries ${last} is missing`]);
    assert.deepEqual(await remove('> 0'), [`wallet_ledger_entries 1 to ${last} is missing`]);
  });

  test('reports entries that were swapped, or copied from another tenant', async () => {
    const swapped = await whileAltered(
      `UPDATE wallet_ledger_entries entry
     SET kind = other.kind, body = other.body, salt = other.salt, player_index = other.player_index,
         recorded_at = other.recorded_at, content_hash = other.content_hash, previous_hash = other.previous_hash,
         hash = other.hash, transaction_hash = other.transaction_hash
     FROM wallet_ledger_entries other
     WHERE entry.tenant_id = $1 AND other.tenant_id = $1 AND entry.entry_index IN (4, 6) AND other.entry_index = 10 - entry.entry_index`,
    );
    assert.ok(swapped.some((problem) => problem.startsWith('wallet_ledger_entries 4 ')));
    assert.ok(swapped.some((problem) => problem.startsWith('wallet_ledger_entries 6 ')));
    const foreign = await whileAltered(
      `UPDATE wallet_ledger_entries entry
     SET kind = other.kind, body = other.body, salt = other.salt, player_index = other.player_index,
         recorded_at = other.recorded_at, content_hash = other.content_hash, previous_hash = other.previous_hash,
         hash = other.hash, transaction_hash = other.transaction_hash
     FROM wallet_ledger_entries other
     WHERE entry.tenant_id = $1 AND other.tenant_id = $2 AND entry.entry_index = 1 AND other.entry_index = 1`,
      [tenant.tenantId, bystander.tenantId],
    );
    assert.ok(foreign.includes('wallet_ledger_entries 1 does not match its hash'), String(foreign));
  });

  test('reports the next entry when all hashes of an entry were forged', async () => {
    const middle = { first: MIDDLE, last: MIDDLE };
    const [entry] = await listEntries(
      database.forTenant(tenant.tenantId),
      tenant.tenantId,
      { ...middle, order: 'oldest' },
      1,
    );
    const forged = { ...entry!, body: '{"score":"999"}', kind: 'player.scored' };
    const contentHash = hashContent(forged);
    const hash = hashLink(forged.previousHash, contentHash);
    const found = await whileAltered(
      `UPDATE wallet_ledger_entries SET body = $2, kind = $3, content_hash = $4, hash = $5, transaction_hash = $5
     WHERE tenant_id = $1 AND entry_index = ${MIDDLE}`,
      [
        tenant.tenantId,
        forged.body,
        forged.kind,
        Buffer.from(contentHash.slice(2), 'hex'),
        Buffer.from(hash.slice(2), 'hex'),
      ],
    );
    assert.deepEqual(found, [`wallet_ledger_entries ${MIDDLE + 1} does not follow the previous entry`]);
  });

  test('reports a row of the state with any altered column', async () => {
    const columns: Record<string, Record<string, string>> = {
      wallet_players: {
        player_index: 'player_index + 1000',
        player_id: `player_id || 'x'`,
        address: `address || 'x'`,
        player_type: '1 - player_type',
        is_verified: 'NOT is_verified',
        score: 'score + 1',
      },
      wallet_sessions: {
        session_id: 'session_id + 1000',
        player_index: 'player_index + 1',
        start_time: 'start_time + 1',
        end_time: 'end_time + 1',
      },
      wallet_matches: {
        match_session_id: 'match_session_id + 1000',
        player_index: 'player_index + 1',
        play_data_id: 'play_data_id + 1',
        is_ended: 'NOT is_ended',
      },
      wallet_ledgers: {
        entries: 'entries - 1',
        hash: `set_byte(hash, 0, 255 - get_byte(hash, 0))`,
        players: 'players + 1',
        sessions: 'sessions - 1',
        matches: 'matches + 1',
        records: 'records + 1',
        play_data: 'play_data - 1',
      },
    };
    const keys: Record<string, string> = {
      wallet_players: 'AND player_index = 1',
      wallet_sessions: 'AND session_id = 1',
      wallet_matches: 'AND match_session_id = 1',
      wallet_ledgers: '',
    };
    for (const [table, altered] of Object.entries(columns)) {
      const { rows } = await app.owner.query(
        'SELECT column_name FROM information_schema.columns WHERE table_name = $1',
        [table],
      );
      const all = rows.map((row) => row.column_name).filter((name) => name !== 'tenant_id');
      assert.deepEqual(all.toSorted(), Object.keys(altered).toSorted(), 'the test alters every column');
      for (const [column, value] of Object.entries(altered)) {
        const found = await whileAltered(
          `UPDATE ${table} SET ${column} = ${value} WHERE tenant_id = $1 ${keys[table]}`,
        );
        assert.ok(found[0]?.startsWith(`${table} `), `${table}.${column}: ${found}`);
      }
      const gone = await whileAltered(`DELETE FROM ${table} WHERE tenant_id = $1 ${keys[table]}`);
      assert.ok(gone[0]?.startsWith(`${table} `), `${table}: ${gone}`);
    }
    const nulls = await whileAltered(
      `UPDATE wallet_sessions SET end_time = NULL WHERE tenant_id = $1 AND session_id = 1`,
    );
    assert.deepEqual(nulls, ['wallet_sessions 1 does not match the entries']);
  });

  test('reads only the entries in a time range', async () => {
    const { rows } = await app.owner.query(
      `SELECT to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
     FROM wallet_ledger_entries WHERE tenant_id = $1 AND entry_index = 3`,
      [tenant.tenantId],
    );
    const [{ at }] = rows;
    assert.equal(await countVerified({ to: at }), 2);
    assert.deepEqual(await problems(tenant.tenantId, { from: at }), []);
    assert.equal(await countVerified({ to: '2020-01-01T00:00:00Z' }), 0);
  });

  test('reads all entries between the first and the last in a time range, even if the clock was set back', async () => {
    const { rows } = await app.owner.query(
      'SELECT max(recorded_at) AS last FROM wallet_ledger_entries WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    const setBack = (by: string) =>
      app.owner.query(
        'UPDATE wallet_ledger_entries SET recorded_at = recorded_at - $2::interval WHERE tenant_id = $1 AND entry_index = 4',
        [tenant.tenantId, by],
      );
    await setBack('1 day');
    const today = { from: new Date(rows[0].last - 3_600_000).toISOString() };
    const found = await problems(tenant.tenantId, today);
    await setBack('-1 day');
    // Its time was altered after it was hashed. It is not missing.
    assert.deepEqual(asText(found), ['wallet_ledger_entries 4 does not match its hash']);
  });
});

describe('wallet ledgers in the database', () => {
  test('are verified for all tenants by the verify command', async () => {
    const change = (by: number) =>
      app.owner.query('UPDATE wallet_players SET score = score + $2 WHERE tenant_id = $1', [
        bystander.tenantId,
        by,
      ]);
    await change(1);
    const found: string[] = [];
    await verify(app.databaseUrl, {}, ({ table, id, tenantId }) =>
      found.push(`${table} ${id} of ${tenantId}`),
    );
    await change(-1);
    assert.deepEqual(found, [`wallet_players 1 of ${bystander.tenantId}`]);
  });

  test('cannot be changed or deleted by the application role', async () => {
    const scope = database.forTenant(tenant.tenantId);
    for (const text of [
      'UPDATE wallet_ledger_entries SET body = body',
      'DELETE FROM wallet_ledger_entries',
      'TRUNCATE wallet_ledger_entries',
    ]) {
      await assert.rejects(scope.run(sql`${raw(text)}`), /permission denied/);
    }
  });
});
