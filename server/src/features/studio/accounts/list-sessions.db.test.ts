import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Querier } from '../../../database/database.ts';
import { arrangeAccount, arrangeTenant } from '../../../testing/arrange.ts';
import { rowsRead } from '../../../testing/rows-read.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { countSessions, endSessionsOverLimit, listSessions } from './session-queries.ts';

const app = await startTestApp();

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
    const rows = await rowsRead(app.owner, { accountId }, select);
    assert.ok(rows < 10, `read ${rows} rows`);
  }
});

test('a list of sessions and a login read no ended sessions', async () => {
  const { accountId } = await arrangeAccount(app, await arrangeTenant(app));
  await app.owner.query(
    `INSERT INTO account_sessions (id, account_id, revoked_at)
     SELECT gen_random_uuid(), $1, now() FROM generate_series(1, 5000)`,
    [accountId],
  );
  for (const send of [
    (db: Querier) => listSessions(db, accountId, { limit: 50, offset: 0 }),
    (db: Querier) => countSessions(db, accountId),
    (db: Querier) => endSessionsOverLimit(db, accountId),
  ]) {
    const rows = await rowsRead(app.owner, { accountId }, send);
    assert.ok(rows < 10, `read ${rows} rows`);
  }
});
