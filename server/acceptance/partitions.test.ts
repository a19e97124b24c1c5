import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { avoidEndOf } from './avoid-end-of.ts';
import { dataFolder, exitOf, spawnCommand, startServer } from './server-process.ts';

// The server, the commands and the tests must agree about the month.
await avoidEndOf('month', 300_000);
const folder = dataFolder();
const server = await startServer({ dataDir: folder.path });
after(async () => {
  await server.end('SIGTERM');
  folder.remove();
});

/** Runs `guildhall partitions` beside the server. */
async function partitions(options: string, env: Record<string, string> = {}) {
  const command = spawnCommand(`partitions ${options}`, { dataDir: folder.path, env });
  const code = await exitOf(command.child);
  return { code, output: command.output() };
}

const monthIn = (months: number): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)).toISOString().slice(0, 7);
};
const nameOf = (table: string, months: number): string => `${table}_${monthIn(months).replace('-', '_')}`;

describe('guildhall partitions', () => {
  test('lists the partitions with the day from which they are dropped', async () => {
    const { code, output } = await partitions('list', { RETENTION_MONTHS: 'login_ledger=2' });
    assert.equal(code, 0, output);
    const lines = output.trim().split('\n');
    assert.match(lines[0]!, /^PARTITION +FROM +TO +ROWS \(ABOUT\) +SIZE +DROPPED FROM$/);
    const lineOf = (name: string) => lines.find((line) => line.startsWith(`${name} `))!.split(/ {2,}/);
    assert.deepEqual(lineOf(nameOf('login_ledger', 0)).slice(1, 3), [`${monthIn(0)}-01`, `${monthIn(1)}-01`]);
    assert.equal(lineOf(nameOf('login_ledger', 0)).at(-1), `${monthIn(3)}-01`);
    assert.equal(lineOf(nameOf('logout_ledger', 0)).at(-1), 'never');
    assert.equal(lineOf('match_events_past')[1], 'all before');
    assert.equal(lineOf('match_events_default')[1], 'all others');
  });

  test('creates partitions ahead, once', async () => {
    const { code, output } = await partitions('create --months 5');
    assert.equal(code, 0, output);
    for (const months of [4, 5]) assert.ok(output.includes(nameOf('login_ledger', months)), output);
    assert.equal((await partitions('create --months 5')).output.trim(), 'All partitions exist.');
  });

  test('drops with --yes only, and refuses months that are not over', async () => {
    const drop = (options: string) => partitions(`drop --table logout_ledger ${options}`);
    assert.deepEqual(await drop(`--before ${monthIn(0)}`), { code: 0, output: 'Nothing is older.\n' });
    assert.deepEqual(await drop(`--before ${monthIn(0)} --yes`), { code: 0, output: 'Nothing is older.\n' });
    for (const month of [monthIn(1), '2026', '2026-13', 'x;DROP TABLE players']) {
      const { code, output } = await drop(`--before ${month.replaceAll(' ', '-')} --yes`);
      assert.equal(code, 1);
      assert.match(output, /^--before must be a month such as 2026-01, at most the current month, and not /m);
    }
    const other = await partitions(`drop --table players --before ${monthIn(0)} --yes`);
    assert.equal(other.code, 1);
    assert.match(
      other.output,
      /Allowed choices are match_events, player_events, login_ledger, logout_ledger/,
    );
  });

  test('prints the rows of months without a partition before it deletes them', async () => {
    const owner = new pg.Client({
      host: join(folder.path, 'socket'),
      user: 'guildhall',
      database: 'guildhall',
    });
    await owner.connect();
    await owner.query(`
      INSERT INTO logout_ledger (tenant_id, id, session_id, player_id, reason, occurred_at, created_at_gl, received_at_db)
      SELECT id, id, id, id, 'logout', at, at, at FROM (SELECT gen_random_uuid() AS id, timestamptz '2020-01-15Z' AS at) row`);
    await owner.end();
    const drop = (options: string) => partitions(`drop --table logout_ledger ${options}`);
    assert.deepEqual(await drop(`--before ${monthIn(0)}`), {
      code: 0,
      output:
        '1 rows of months without a partition\nNothing is dropped yet. Add --yes to delete these rows permanently.\n',
    });
    assert.deepEqual(await drop(`--before ${monthIn(0)} --yes`), {
      code: 0,
      output: 'Deleted 1 rows of months without a partition.\n',
    });
  });
});
