import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Querier } from '../../../database/database.ts';
import type { Sql } from '../../../database/sql.ts';
import { arrangeAccount, arrangeTenant } from '../../../testing/arrange.ts';
import { largestRead } from '../../../testing/statement-plans.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { countSessions, listSessions } from './queries.ts';

const app = await startTestApp();

/** How many rows the largest part of a statement reads as the account. */
async function rowsRead(accountId: string, select: (db: Querier) => Promise<unknown>): Promise<number> {
  let statement: Sql | undefined;
  const keep = async (sent: Sql) => {
    statement = sent;
    return [];
  };
  await select({ rows: keep, count: keep } as unknown as Querier);
  const client = await app.owner.connect();
  try {
    await client.query(
      `BEGIN; SET LOCAL ROLE guildhall_app; SET LOCAL guildhall.account_id = '${accountId}'`,
    );
    const { rows } = await client.query(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${statement!.text}`,
      statement!.values,
    );
    return largestRead(rows[0]['QUERY PLAN'][0].Plan).rows;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

test('the list of sessions reads no used refresh tokens', async () => {
  const { accountId } = await arrangeAccount(app, await arrangeTenant(app));
  const sessionId = randomUUID();
  await app.owner.query('INSERT INTO account_sessions (id, account_id) VALUES ($1, $2)', [
    sessionId,
    accountId,
  ]);
  await app.owner.query(
    `INSERT INTO account_refresh_tokens (token_hash, session_id, expires_at, used_at)
     SELECT sha256(number::text::bytea), $1, now() + interval '1 day', CASE WHEN number < 5000 THEN now() END
     FROM generate_series(1, 5000) number`,
    [sessionId],
  );
  for (const select of [
    (db: Querier) => listSessions(db, accountId, { limit: 50, offset: 0 }),
    (db: Querier) => countSessions(db, accountId),
  ]) {
    const rows = await rowsRead(accountId, select);
    assert.ok(rows < 10, `read ${rows} rows`);
  }
});
