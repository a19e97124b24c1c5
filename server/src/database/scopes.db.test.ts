import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../testing/arrange.ts';
import { startTestApp } from '../testing/test-app.ts';
import { openDatabase, type Querier } from './database.ts';
import { sql } from './sql.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl);
after(() => database.close());

const tenant = await arrangeTenant(app);
const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
const ada = await arrangePlayer(app, tenant, 'ada');
const adaElsewhere = await arrangePlayer(app, sibling, 'ada');
const bob = await arrangePlayer(app, tenant, 'bob');

async function visibleSessions(db: Querier): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`SELECT session_id AS id FROM login_sessions`);
  return rows.map((row) => row.id).toSorted();
}

describe('scopes', () => {
  test('show only their own rows, even to a statement without a condition', async () => {
    const sessions: string[] = [ada.sessionId, adaElsewhere.sessionId];
    const own = sessions.toSorted();
    assert.deepEqual(await visibleSessions(database), []);
    assert.deepEqual(await visibleSessions(database.forPlayer(ada.playerId)), own);
    assert.deepEqual(await visibleSessions(database.forPlayer(bob.playerId)), [bob.sessionId]);
    assert.deepEqual(await visibleSessions(database.forTenant(sibling.tenantId)), [adaElsewhere.sessionId]);
    const inTransaction = await database.forPlayer(ada.playerId).transaction(visibleSessions);
    assert.deepEqual(inTransaction, own);
  });

  test('of a player reject changes to rows of other players', async () => {
    const scope = database.forPlayer(ada.playerId);
    const theirs = sql`UPDATE login_sessions SET tokens_revoked_at = now() WHERE session_id = ${bob.sessionId}`;
    assert.equal(await scope.run(theirs), 0);
    await assert.rejects(
      scope.run(
        sql`UPDATE login_sessions SET player_id = ${bob.playerId} WHERE session_id = ${ada.sessionId}`,
      ),
      /row-level security/,
    );
  });

  test('accept only UUIDs', () => {
    for (const text of ['', 'nonsense', `${ada.playerId}'; RESET ROLE; --`]) {
      assert.throws(() => database.forPlayer(text), TypeError);
      assert.throws(() => database.forTenant(text), TypeError);
    }
  });
});
