import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  arrangeAccount,
  arrangeKeyWithoutData,
  arrangePlayer,
  arrangeTenant,
} from '../../../testing/arrange.ts';
import type { Caller } from '../../../testing/http-client.ts';
import { rowsRead } from '../../../testing/rows-read.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { selectMatches } from './queries.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const viewer = await arrangeAccount(app, tenant, 'viewer');
const MATCHES = `/api/bus_tenants/${tenant.tenantId}/matches`;

const list = (query: Record<string, string> = {}, caller: Caller = viewer) =>
  app.http.get(`${MATCHES}?${new URLSearchParams(query)}`, caller);
const ids = (items: { matchSessionId: string }[]) => items.map(({ matchSessionId }) => matchSessionId);

/** Creates a running match. */
async function arrangeMatch(...playerIds: string[]): Promise<string> {
  const players = playerIds.map((playerId) => ({ playerId }));
  const { status, body, text } = await app.http.post(
    '/api/game/matches',
    { players, mode: 'duel', metadata: { map: 'harbor' } },
    { gameKey: tenant.gameKey },
  );
  assert.equal(status, 201, text);
  return body.matchSessionId;
}

const [ada, ben] = [await arrangePlayer(app, tenant), await arrangePlayer(app, tenant)];
const oldest = await arrangeMatch(ada.playerId, ben.playerId);
const ended = await arrangeMatch(ben.playerId);
const newest = await arrangeMatch(ada.playerId);
await app.http.post(`/api/game/matches/${ended}/end`, undefined, { gameKey: tenant.gameKey });

describe('GET /api/bus_tenants/{tenantId}/matches', () => {
  test('lists matches with the size of their roster, newest first', async () => {
    const { status, body } = await list();
    assert.equal(status, 200);
    assert.deepEqual(ids(body.items), [newest, ended, oldest]);
    assert.equal(body.hasMore, false);
    const { startedAt, ...last } = body.items[2];
    assert.ok(Date.parse(startedAt));
    assert.deepEqual(last, {
      matchSessionId: oldest,
      mode: 'duel',
      metadata: { map: 'harbor' },
      endedAt: null,
      playerCount: 2,
    });
  });

  test('pages by cursor and returns each match once', async () => {
    const seen: string[] = [];
    for (let cursor: string | undefined, hasMore = true; hasMore;) {
      const { body } = await list({ limit: '1', ...(cursor && { cursor }) });
      seen.push(...ids(body.items));
      ({ nextCursor: cursor, hasMore } = body);
    }
    assert.deepEqual(seen, [newest, ended, oldest]);
  });

  test('filters by state, player and time', async () => {
    assert.deepEqual(ids((await list({ state: 'running' })).body.items), [newest, oldest]);
    assert.deepEqual(ids((await list({ state: 'ended' })).body.items), [ended]);
    assert.deepEqual(ids((await list({ playerId: ada.playerId })).body.items), [newest, oldest]);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    assert.deepEqual(ids((await list({ from: tomorrow })).body.items), []);
    assert.equal((await list({ to: tomorrow })).body.items.length, 3);
  });

  test('compares the times with startedAt, not with the time of the id', async () => {
    const [first] = (await list({ playerId: ada.playerId })).body.items.slice(-1);
    const startedAt = new Date(Date.parse(first.startedAt) - 30_000)
      .toISOString()
      .replace(/.{4}Z$/, '.000500Z');
    await app.owner.query('UPDATE match_sessions SET started_at = $2 WHERE id = $1', [ended, startedAt]);
    const later = startedAt.replace('500Z', '501Z');
    assert.deepEqual(ids((await list({ from: startedAt, to: later })).body.items), [ended]);
    assert.deepEqual(ids((await list({ to: startedAt })).body.items), []);
    assert.ok(!ids((await list({ from: later })).body.items).includes(ended));
  });

  test('reads no newer matches of a player for a later page or an older range', async () => {
    const { tenantId } = await arrangeTenant(app);
    // Their ids have the times of their starts.
    await app.owner.query(
      `INSERT INTO match_sessions (tenant_id, id, started_at)
       SELECT $1, overlay('01990000-0000-7000-8000-000000000000' PLACING lpad(to_hex(number), 4, '0') FROM 5)::uuid,
              '2025-08-31 12:00:24.064Z'::timestamptz + number * interval '65.536 seconds'
       FROM generate_series(1, 4000) number`,
      [tenantId],
    );
    await app.owner.query(
      `INSERT INTO match_players (tenant_id, id, match_session_id, player_id, joined_at)
       SELECT tenant_id, gen_random_uuid(), id, $2, started_at FROM match_sessions WHERE tenant_id = $1`,
      [tenantId, ada.playerId],
    );
    const { rows } = await app.owner.query<{ id: string; at: Date }>(
      'SELECT id, started_at AS at FROM match_sessions WHERE tenant_id = $1 ORDER BY id OFFSET 200 LIMIT 1',
      [tenantId],
    );
    const { id, at } = rows[0]!;
    for (const filter of [{ cursor: id }, { to: at.toISOString() }]) {
      const read = await rowsRead(app.owner, { tenantId }, (db) =>
        selectMatches(db, tenantId, { playerIds: [ada.playerId], ...filter }, 51),
      );
      assert.ok(read <= 60, `${JSON.stringify(filter)}: ${read} rows`);
    }
  });

  test('returns 400 for a limit over 200, an unknown state and a malformed cursor', async () => {
    const refused: Record<string, string>[] = [
      { limit: '201' },
      { limit: '0' },
      { state: 'paused' },
      { cursor: 'x' },
      { from: '2026-01-01' },
    ];
    for (const query of refused) assert.equal((await list(query)).status, 400, JSON.stringify(query));
  });

  test('returns 404 to a member of another workspace', async () => {
    const stranger = await arrangeAccount(app, await arrangeTenant(app), 'owner');
    assert.equal((await list({}, stranger)).status, 404);
  });
});

describe('GET /api/bus_tenants/{tenantId}/matches/{matchSessionId}', () => {
  test('returns the match with its roster', async () => {
    const { status, body } = await app.http.get(`${MATCHES}/${oldest}`, viewer);
    assert.equal(status, 200);
    assert.deepEqual(
      body.players.map(({ playerId }: { playerId: string }) => playerId).toSorted(),
      [ada.playerId, ben.playerId].toSorted(),
    );
  });

  test('shows the sessions of the players to members only', async () => {
    const sessions = async (caller: Caller) => {
      const { body } = await app.http.get(`${MATCHES}/${newest}`, caller);
      return body.players.map(({ loginSessionId }: { loginSessionId?: string }) => loginSessionId);
    };
    assert.deepEqual(await sessions(viewer), [ada.sessionId]);
    assert.deepEqual(await sessions({ apiKey: tenant.apiKey }), [undefined]);
  });

  test('returns 404 for an unknown match and for a match of another tenant', async () => {
    assert.equal((await app.http.get(`${MATCHES}/${randomUUID()}`, viewer)).status, 404);
    const other = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const path = `/api/bus_tenants/${other.tenantId}/matches/${oldest}`;
    assert.equal((await app.http.get(path, viewer)).status, 404);
  });
});

describe('the matches of a tenant for API keys', () => {
  const paths = [MATCHES, `${MATCHES}/${newest}`];

  test('are the same as for members', async () => {
    const reader = { apiKey: tenant.apiKey };
    assert.deepEqual(ids((await list({ playerId: ada.playerId }, reader)).body.items), [newest, oldest]);
    assert.deepEqual((await list({}, reader)).body, (await list()).body);
    assert.equal((await app.http.get(paths[1]!, reader)).body.matchSessionId, newest);
  });

  test('need allowDataApi, and a key of the tenant that works', async () => {
    const mute = await arrangeKeyWithoutData(app, tenant.tenantId);
    const other = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const disabled = await arrangeTenant(app);
    await app.owner.query('UPDATE tenants SET disabled_at = now() WHERE id = $1', [disabled.tenantId]);
    for (const path of paths)
      for (const [caller, status, code] of [
        [{ apiKey: mute }, 403, 'data_api_not_allowed'],
        [{ apiKey: other.apiKey }, 404, 'not_found'],
        [{ apiKey: disabled.apiKey }, 401, 'invalid_api_key'],
        [{ apiKey: tenant.gameKey }, 401, 'invalid_api_key'],
        [{ gameKey: tenant.gameKey }, 401, 'missing_bearer'],
        [{ ...viewer, apiKey: tenant.apiKey }, 400, 'conflicting_credentials'],
      ] as const) {
        const { body } = await app.http.get(path, caller);
        assert.deepEqual([body.status, body.code], [status, code], path);
      }
  });
});
