import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { whileLocked } from '../../../testing/while-locked.ts';
import type { MatchPlayer } from './queries.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app, { autoCreate: true });
const server = { gameKey: tenant.gameKey };
const MATCHES = '/api/game/matches';

type Player = Awaited<ReturnType<typeof arrangePlayer>>;

const newPlayer = () => arrangePlayer(app, tenant);
const sendMerge = (source: Player, target: Player) =>
  app.http.post(
    '/api/player-profile/me/merge',
    {
      sourceProfileId: source.playerId,
      sourceProvider: 'Mock',
      sourceAuthToken: `mock:${source.username}:secret`,
    },
    { bearer: target.accessToken },
  );

async function merge(source: Player, target: Player): Promise<void> {
  const { status, text } = await sendMerge(source, target);
  assert.equal(status, 200, text);
}

/** Creates a match. Returns its id, and that of each match player. */
async function arrangeMatch(...players: Player[]): Promise<[match: string, ...matchPlayerIds: string[]]> {
  const { status, body, text } = await app.http.post(
    MATCHES,
    { players: players.map(({ playerId }) => ({ playerId })) },
    server,
  );
  assert.equal(status, 201, text);
  return [body.matchSessionId, ...body.players.map((one: MatchPlayer) => one.matchPlayerId)];
}

const join = (match: string, { playerId }: Player) =>
  app.http.post(`${MATCHES}/${match}/join`, { playerId }, server);
const leave = (match: string, matchPlayerId: string) =>
  app.http.post(`${MATCHES}/${match}/leave`, { matchPlayerId }, server);
const end = (match: string) => app.http.post(`${MATCHES}/${match}/end`, undefined, server);

async function rosterOf(match: string): Promise<MatchPlayer[]> {
  return (await app.http.get(`${MATCHES}/${match}`, server)).body.players;
}

/** The match players who are in a match, in the order of the roster. */
async function present(match: string): Promise<string[]> {
  return (await rosterOf(match))
    .filter(({ leftAt }) => leftAt === null)
    .map(({ matchPlayerId }) => matchPlayerId);
}

describe('a player with a merged profile', () => {
  test('cannot join a match in which the merged profile is', async () => {
    const [first, source, target] = [await newPlayer(), await newPlayer(), await newPlayer()];
    const [match, matchPlayerId] = await arrangeMatch(first);
    await merge(first, source);
    await merge(source, target);
    const { status, body } = await join(match, target);
    assert.deepEqual([status, body.code], [409, 'already_in_match']);
    assert.deepEqual(await present(match), [matchPlayerId]);
  });

  test('returns to a match as the match player of the merged profile, with its result', async () => {
    const [source, target] = [await newPlayer(), await newPlayer()];
    const [match, matchPlayerId] = await arrangeMatch(source);
    const results = [{ matchPlayerId, score: 7 }];
    assert.equal((await app.http.put(`${MATCHES}/${match}/results`, { results }, server)).status, 200);
    const [before] = await rosterOf(match);
    await leave(match, matchPlayerId!);
    await merge(source, target);
    const { status, body } = await join(match, target);
    assert.deepEqual(
      [status, body],
      [
        201,
        {
          matchSessionId: match,
          playerId: target.playerId,
          matchPlayerId,
          joinedAt: before!.joinedAt,
        },
      ],
    );
    assert.deepEqual(await rosterOf(match), [before]);
    assert.equal((await join(match, target)).body.code, 'already_in_match');
  });

  test('returns as the own match player if both profiles have left', async () => {
    const [source, target] = [await newPlayer(), await newPlayer()];
    const [match, ofTarget, ofSource] = await arrangeMatch(target, source);
    for (const matchPlayerId of [ofTarget, ofSource]) await leave(match, matchPlayerId!);
    await merge(source, target);
    assert.equal((await join(match, target)).body.matchPlayerId, ofTarget);
    assert.deepEqual(await present(match), [ofTarget]);
  });
});

describe('a merge of two profiles that are in a match', () => {
  test('marks the entry of the source as left, and still accepts its events and results', async () => {
    const [source, target] = [await newPlayer(), await newPlayer()];
    const [match, ofSource, ofTarget] = await arrangeMatch(source, target);
    await merge(source, target);
    assert.deepEqual(await present(match), [ofTarget]);
    const results = [{ matchPlayerId: ofSource, score: 3 }];
    const { caller } = target;
    assert.equal((await app.http.put(`${MATCHES}/${match}/results`, { results }, caller)).status, 200);
    const event = {
      matchSessionId: match,
      matchPlayerId: ofSource,
      eventKey: 'shot',
      idempotencyKey: 'one',
      occurredAt: new Date().toISOString(),
    };
    assert.equal((await app.http.post('/api/game/events', { events: [event] }, caller)).status, 201);
    const listed = await app.http.get(
      `/api/bus_tenants/${tenant.tenantId}/matches?playerId=${target.playerId}`,
      { apiKey: tenant.apiKey },
    );
    assert.deepEqual(
      listed.body.items.map(({ matchSessionId }: { matchSessionId: string }) => matchSessionId),
      [match],
      'once',
    );
  });

  test('keeps one of three profiles that were merged one after another', async () => {
    const [first, second, third] = [await newPlayer(), await newPlayer(), await newPlayer()];
    const [match, ofFirst, ofThird] = await arrangeMatch(first, third);
    await merge(first, second);
    assert.deepEqual(await present(match), [ofFirst, ofThird]);
    await merge(second, third);
    assert.deepEqual(await present(match), [ofThird]);
  });

  test('changes no other entry', async () => {
    const [source, target, other] = [await newPlayer(), await newPlayer(), await newPlayer()];
    const [ended] = await arrangeMatch(source, target);
    await end(ended);
    const [left, ofTarget] = await arrangeMatch(target, source);
    await leave(left, ofTarget!);
    const matches = [
      ended,
      left,
      (await arrangeMatch(source, other))[0],
      (await arrangeMatch(target, other))[0],
      (await arrangeMatch(other))[0],
    ];
    const before = await Promise.all(matches.map(rosterOf));
    await merge(source, target);
    assert.deepEqual(await Promise.all(matches.map(rosterOf)), before);
  });
});

describe('a join during a merge', () => {
  test('waits for the merge, and then finds the entry of the source', async () => {
    const [source, target] = [await newPlayer(), await newPlayer()];
    const [match, ofSource] = await arrangeMatch(source);
    const note = 'INSERT INTO player_notes (tenant_id, player_id, id, text, author_id)';
    await app.owner.query(`${note} VALUES ($1, $2, gen_random_uuid(), 'note', gen_random_uuid())`, [
      tenant.tenantId,
      source.playerId,
    ]);
    // The merge moves the notes after the access records.
    await whileLocked(
      app,
      async (holder) =>
        void (await holder.query('SELECT FROM player_notes WHERE player_id = $1 FOR UPDATE', [
          source.playerId,
        ])),
      async (waiting, release) => {
        const merging = merge(source, target);
        await waiting(1);
        const joining = [join(match, target), join(match, source)];
        await waiting(3);
        await release();
        await merging;
        const codes = (await Promise.all(joining)).map(({ status, body }) => [status, body.code]);
        assert.deepEqual(codes, [
          [409, 'already_in_match'],
          [404, 'player_not_found'],
        ]);
      },
    );
    assert.deepEqual(await present(match), [ofSource]);
  });

  test('commits before the merge, which then marks the entry of the source as left', async () => {
    const [source, target, other] = [await newPlayer(), await newPlayer(), await newPlayer()];
    const [match, ofOther] = await arrangeMatch(other);
    await whileLocked(
      app,
      async (holder) =>
        void (await holder.query('SELECT FROM match_sessions WHERE id = $1 FOR UPDATE', [match])),
      async (waiting, release) => {
        const joining = [join(match, source), join(match, target)];
        await waiting(2);
        const merging = merge(source, target);
        await waiting(3);
        await release();
        const [, joined] = await Promise.all(joining);
        await merging;
        assert.deepEqual(await present(match), [ofOther, joined!.body.matchPlayerId]);
      },
    );
    assert.equal((await rosterOf(match)).length, 3);
  });

  test('leaves one of both profiles in a match that is created at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const [source, target] = [await newPlayer(), await newPlayer()];
      const players = [source, target].map(({ playerId }) => ({ playerId }));
      const [created, merged] = await Promise.all([
        app.http.post(MATCHES, { players }, server),
        sendMerge(source, target),
      ]);
      assert.equal(merged.status, 200, merged.text);
      if (created.status === 201) assert.equal((await present(created.body.matchSessionId)).length, 1);
      else assert.equal(created.body.code, 'player_not_found', created.text);
    }
  });
});
