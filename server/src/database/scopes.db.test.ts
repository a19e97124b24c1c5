import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
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

  test('of a player show the addresses of that player, and addresses without a player', async () => {
    const name = randomUUID();
    for (const [email, playerId] of [
      [`ada-${name}@players.example`, ada.playerId],
      [`bob-${name}@players.example`, bob.playerId],
      [`pending-${name}@players.example`, null],
    ])
      await app.owner.query(
        'INSERT INTO email_credentials (email, player_id, mails_since, mails_sent) VALUES ($1, $2, now(), 0)',
        [email, playerId],
      );
    const scope = database.forPlayer(ada.playerId);
    const rows = await scope.rows<{ email: string }>(
      sql`SELECT email FROM email_credentials WHERE email LIKE ${`%${name}%`} ORDER BY email`,
    );
    assert.deepEqual(
      rows.map(({ email }) => email.split('-')[0]),
      ['ada', 'pending'],
    );
    const given = scope.run(
      sql`UPDATE email_credentials SET player_id = ${bob.playerId} WHERE player_id IS NULL AND email LIKE ${`%${name}%`}`,
    );
    await assert.rejects(given, /row-level security/);
  });

  test('of a player reject changes to the profile and the sign-in methods of others', async () => {
    const scope = database.forPlayer(ada.playerId);
    assert.equal(
      await scope.run(sql`UPDATE players SET display_name = 'taken' WHERE id = ${bob.playerId}`),
      0,
    );
    assert.equal(await scope.run(sql`DELETE FROM auth_methods WHERE player_id = ${bob.playerId}`), 0);
    const given = scope.run(
      sql`UPDATE auth_methods SET player_id = ${bob.playerId} WHERE player_id = ${ada.playerId}`,
    );
    await assert.rejects(given, /row-level security/);
  });

  test('accept only UUIDs', () => {
    for (const text of ['', 'nonsense', `${ada.playerId}'; RESET ROLE; --`]) {
      assert.throws(() => database.forPlayer(text), TypeError);
      assert.throws(() => database.forTenant(text), TypeError);
    }
  });
});
