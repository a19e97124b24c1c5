import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  arrangeAccount,
  arrangePlatformAdmin,
  arrangePlayer,
  arrangeTenant,
} from '../../../testing/arrange.ts';
import { untilBlocked } from '../../../testing/row-locks.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');
const viewer = await arrangeAccount(app, tenant, 'viewer');
const ada = await arrangePlayer(app, tenant, 'ada');

const notesOf = (playerId: string, tenantId = tenant.tenantId) =>
  `/api/bus_tenants/${tenantId}/players/${playerId}/notes`;
const add = (text: unknown, playerId = ada.playerId) => app.http.post(notesOf(playerId), { text }, admin);
const list = async (playerId = ada.playerId) => (await app.http.get(notesOf(playerId), viewer)).body.items;

describe('the notes about a player', () => {
  test('are listed newest first, with author and time, and deleted', async () => {
    const first = await add('  Reported twice.  ');
    assert.equal(first.status, 201);
    assert.equal(first.body.text, 'Reported twice.');
    await add('Apologised.');
    const notes = await list();
    assert.deepEqual(
      notes.map(({ text }: { text: string }) => text),
      ['Apologised.', 'Reported twice.'],
    );
    const { rows } = await app.owner.query('SELECT email FROM accounts WHERE id = $1', [admin.accountId]);
    assert.deepEqual(notes[0].author, { id: admin.accountId, email: rows[0].email });
    assert.ok(Date.parse(notes[0].createdAt));

    const other = await arrangePlayer(app, tenant);
    const misplaced = `${notesOf(other.playerId)}/${first.body.id}`;
    assert.equal((await app.http.raw('DELETE', misplaced, undefined, admin)).status, 404);
    const path = `${notesOf(ada.playerId)}/${first.body.id}`;
    assert.equal((await app.http.raw('DELETE', path, undefined, admin)).status, 204);
    assert.equal((await app.http.raw('DELETE', path, undefined, admin)).status, 404);
    assert.equal((await list()).length, 1);
    const { rows: audit } = await app.owner.query(
      `SELECT action FROM audit_records WHERE target_id = $1 AND action LIKE 'player.note%' ORDER BY id`,
      [ada.playerId],
    );
    assert.deepEqual(
      audit.map(({ action }) => action),
      ['player.note_added', 'player.note_added', 'player.note_deleted'],
    );
  });

  test('do not name an author who has left the workspace', async () => {
    const leaver = await arrangeAccount(app, tenant, 'admin');
    const ben = await arrangePlayer(app, tenant, 'ben');
    await app.http.post(notesOf(ben.playerId), { text: 'x' }, leaver);
    await app.owner.query('DELETE FROM memberships WHERE account_id = $1', [leaver.accountId]);
    assert.deepEqual((await list(ben.playerId))[0].author, { id: leaver.accountId, email: null });
  });

  test('are each returned by their creation, even if another server has a clock that is ahead', async () => {
    const { playerId } = await arrangePlayer(app, tenant);
    await app.owner.query(
      `INSERT INTO player_notes (tenant_id, player_id, id, text, author_id) VALUES ($1, $2, $3, 'of tomorrow', $4)`,
      [tenant.tenantId, playerId, 'f0000000-0000-7000-8000-000000000000', admin.accountId],
    );
    assert.equal((await add('of today', playerId)).body.text, 'of today');
  });

  test('are refused with 400 when the text is empty, too long or no text', async () => {
    for (const text of ['', '   ', 'x'.repeat(2_001), 1, null]) assert.equal((await add(text)).status, 400);
    assert.equal((await add('x'.repeat(2_000))).status, 201);
  });

  test('are refused with 409 above 200', async () => {
    const cyd = await arrangePlayer(app, tenant, 'cyd');
    await app.owner.query(
      `INSERT INTO player_notes (tenant_id, player_id, id, text, author_id)
       SELECT $1, $2, gen_random_uuid(), 'x', $3 FROM generate_series(1, 199)`,
      [tenant.tenantId, cyd.playerId, admin.accountId],
    );
    assert.equal((await add('last', cyd.playerId)).status, 201);
    assert.equal((await add('more', cyd.playerId)).status, 409);
    assert.equal((await list(cyd.playerId)).length, 200);
  });

  test('are listed after a merge even if there are more than 200, but at most 1,000', async () => {
    const [source, target] = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
    const addTo = (playerIds: string[], count: number) =>
      app.owner.query(
        `INSERT INTO player_notes (tenant_id, player_id, id, text, author_id)
         SELECT $1, player, gen_random_uuid(), 'x', $3 FROM unnest($2::uuid[]) player CROSS JOIN generate_series(1, $4)`,
        [tenant.tenantId, playerIds, admin.accountId, count],
      );
    await addTo([source.playerId, target.playerId], 200);
    const merged = await app.http.post(
      '/api/player-profile/me/merge',
      {
        sourceProfileId: source.playerId,
        sourceProvider: 'Mock',
        sourceAuthToken: `mock:${source.username}:secret`,
      },
      { bearer: target.accessToken },
    );
    assert.equal(merged.status, 200, merged.text);
    assert.equal((await list(target.playerId)).length, 400);
    assert.equal((await add('more', target.playerId)).status, 409);
    await addTo([target.playerId], 601);
    assert.equal((await list(target.playerId)).length, 1_000);
  });

  test('are invisible to other tenants that know the player', async () => {
    const other = await arrangeTenant(app);
    const stranger = await arrangeAccount(app, other, 'owner');
    await app.owner.query(
      `INSERT INTO tenant_access (tenant_id, player_id, search_name, first_seen_at, last_seen_at)
       SELECT $1, id, search_name, now(), now() FROM players WHERE id = $2`,
      [other.tenantId, ada.playerId],
    );
    const { status, body } = await app.http.get(notesOf(ada.playerId, other.tenantId), stranger);
    assert.equal(status, 200);
    assert.deepEqual(body.items, []);
    const [note] = await list();
    const path = `${notesOf(ada.playerId, other.tenantId)}/${note.id}`;
    assert.equal((await app.http.raw('DELETE', path, undefined, stranger)).status, 404);
    assert.equal((await app.http.get(notesOf(randomUUID()), viewer)).status, 404);
    assert.equal((await app.http.post(notesOf(randomUUID()), { text: 'x' }, admin)).status, 404);
  });

  test('are deleted with the profile', async () => {
    const dot = await arrangePlayer(app, tenant, 'dot');
    assert.equal((await add('x', dot.playerId)).status, 201);
    const platformAdmin = await arrangePlatformAdmin(app);
    const path = `/api/admin/players/${dot.playerId}`;
    assert.equal((await app.http.raw('DELETE', path, undefined, platformAdmin)).status, 204);
    assert.deepEqual(await list(dot.playerId), []);
    const late = await add('late', dot.playerId);
    assert.deepEqual([late.status, late.body.code], [409, 'conflict']);
    assert.deepEqual(await list(dot.playerId), []);
  });

  test('are refused with 409 after a deletion that runs at the same moment', async () => {
    const eve = await arrangePlayer(app, tenant, 'eve');
    const deletion = await app.owner.connect();
    await deletion.query('BEGIN');
    await deletion.query('UPDATE players SET is_active = false WHERE id = $1', [eve.playerId]);
    const adding = add('late', eve.playerId);
    await untilBlocked(app);
    await deletion.query('COMMIT');
    deletion.release();
    assert.equal((await adding).status, 409);
  });
});
