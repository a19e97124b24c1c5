import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeKeyWithoutData, arrangeTenant } from '../../../testing/arrange.ts';
import type { Answer, Caller } from '../../../testing/http-client.ts';
import { startTestApp } from '../../../testing/test-app.ts';

/*
 * Tests every kind of player with every kind of caller. The functions below compute the expected results from the rules in
 * docs/profiles.md.
 */

const app = await startTestApp();
const arrangeGame = async (isHidden: boolean) => {
  const tenant = await arrangeTenant(app);
  await app.owner.query('UPDATE tenants SET hidden_from_discovery = $2 WHERE id = $1', [
    tenant.tenantId,
    isHidden,
  ]);
  const { rows } = await app.owner.query('SELECT name, slug FROM tenants WHERE id = $1', [tenant.tenantId]);
  const keyWithoutData = await arrangeKeyWithoutData(app, tenant.tenantId);
  return { ...tenant, isHidden, keyWithoutData, name: rows[0].name, slug: rows[0].slug };
};
type Game = Awaited<ReturnType<typeof arrangeGame>>;
/** The tenants whose keys are used, by whether the tenant is hidden. */
const callingGames = { shown: await arrangeGame(false), hidden: await arrangeGame(true) };
/** Other tenants, by whether the tenant is hidden. */
const otherGames = { shown: await arrangeGame(false), hidden: await arrangeGame(true) };

interface Player {
  id: string;
  /** The id in the request: the player's own id, or that of a profile that was merged into theirs. */
  requestedId: string;
  displayName: string | null;
  avatarUrl: string | null;
  visibility: 'private' | 'limited' | 'full';
  isActive: boolean;
  isHidden: boolean;
  /** The tenant whose keys are used. */
  callingGame: Game;
  /** The tenant that the player has signed in to. */
  plays: Game | undefined;
}

const LAST_SEEN = '2026-11-20T21:19:00.123456Z';
const players: Player[] = [];
for (const visibility of ['private', 'limited', 'full'] as const)
  for (const membership of ['calling', 'other', 'none'])
    for (const tenant of ['shown', 'hidden'] as const)
      for (const isHidden of [false, true])
        for (const merges of [0, 1, 3])
          for (const isActive of [true, false]) {
            const plays =
              membership === 'calling'
                ? callingGames[tenant]
                : membership === 'other'
                  ? otherGames[tenant]
                  : undefined;
            const named = players.length % 5 > 0;
            const player: Player = {
              id: randomUUID(),
              requestedId: '',
              displayName: named ? `Ada “${players.length}” 🐴` : null,
              avatarUrl: named ? `https://example.com/${players.length}.png` : null,
              visibility,
              isActive,
              isHidden,
              callingGame: callingGames[tenant],
              plays,
            };
            player.requestedId = await store(player, merges);
            players.push(player);
          }

/** Stores a player and a chain of profiles that were merged into them. Returns the id at the start of the chain. */
async function store(player: Player, merges: number): Promise<string> {
  await app.owner.query(
    `INSERT INTO players (id, display_name, avatar_url, email, profile_visibility, is_active, created_at)
     VALUES ($1, $2, $3, 'secret@example.com', $4, $5, now())`,
    [player.id, player.displayName, player.avatarUrl, player.visibility, player.isActive],
  );
  if (player.plays) {
    await app.owner.query(
      `INSERT INTO tenant_access (tenant_id, player_id, tenant_role, first_seen_at, last_seen_at, login_count,
         hidden_from_discovery) VALUES ($1, $2, 'player', $3, $3, 7, $4)`,
      [player.plays.tenantId, player.id, LAST_SEEN, player.isHidden],
    );
  }
  let first = player.id;
  for (let merge = 0; merge < merges; merge++) {
    const id = randomUUID();
    // The merged profile has all fields, so that a leak of any of them fails the test.
    await app.owner.query(
      `INSERT INTO players (id, display_name, avatar_url, profile_visibility, is_active, is_back_merged, merged_into_id,
         created_at) VALUES ($1, 'absorbed', 'https://example.com/absorbed.png', 'full', false, true, $2, now())`,
      [id, first],
    );
    first = id;
  }
  return first;
}

const callers = ['game key', 'data key', 'key without data', 'nobody', 'both keys'] as const;
type CallerKind = (typeof callers)[number];

function credentialsOf(kind: CallerKind, game: Game): Caller {
  switch (kind) {
    case 'game key':
      return { gameKey: game.gameKey };
    case 'data key':
      return { apiKey: game.apiKey };
    case 'key without data':
      return { apiKey: game.keyWithoutData };
    case 'nobody':
      return {};
    case 'both keys':
      return { gameKey: game.gameKey, apiKey: game.apiKey };
  }
}

type Expected = { status: 200; body: object } | { status: number; code: string };
const NOT_FOUND = { status: 404, code: 'not_found' };

const minimal = ({ id, visibility }: Player) => ({ id, profileVisibility: visibility });
const summary = (player: Player) => ({
  ...minimal(player),
  displayName: player.displayName,
  avatarUrl: player.avatarUrl,
});
const isInTenant = ({ isActive, plays, callingGame }: Player) => isActive && plays === callingGame;

function expectedOfOne(kind: CallerKind, player: Player): Expected {
  switch (kind) {
    case 'game key':
      if (!isInTenant(player)) return NOT_FOUND;
      return { status: 200, body: player.visibility === 'private' ? minimal(player) : summary(player) };
    case 'data key':
      return isInItems(player) ? { status: 200, body: summary(player) } : NOT_FOUND;
    case 'key without data':
      return { status: 403, code: 'data_api_not_allowed' };
    case 'nobody':
      return { status: 401, code: 'missing_game_key' };
    case 'both keys':
      return { status: 400, code: 'conflicting_credentials' };
  }
}

function isInItems(player: Player): boolean {
  return isInTenant(player) && player.visibility !== 'private' && !player.isHidden;
}

const itemOf = (player: Player) => ({
  ...summary(player),
  tenantAccess: [
    {
      tenantId: player.callingGame.tenantId,
      tenantRole: 'player',
      firstSeenAt: LAST_SEEN,
      lastSeenAt: LAST_SEEN,
      loginCount: 7,
    },
  ],
});

function expectedInPublic(player: Player): Expected {
  if (!player.isActive || player.visibility === 'private') return NOT_FOUND;
  const { plays } = player;
  const isShown = player.visibility === 'full' && plays && !plays.isHidden && !player.isHidden;
  const game = isShown && {
    gameId: plays.tenantId,
    gameName: plays.name,
    gameSlug: plays.slug,
    lastPlayedAt: LAST_SEEN,
    loginCount: 7,
  };
  return { status: 200, body: { ...summary(player), games: game ? [game] : [] } };
}

function assertAnswer(answer: Answer, expected: Expected, what: string): void {
  const actual =
    answer.status === 200
      ? { status: 200, body: answer.body }
      : { status: answer.status, code: answer.body?.code };
  assert.deepEqual(actual, expected, what);
}

const labelOf = ({ plays, callingGame, ...player }: Player) =>
  JSON.stringify({
    ...player,
    plays: plays?.slug,
    callingGame: callingGame.slug,
    isGameHidden: callingGame.isHidden,
  });

const BULK = '/api/player-profiles/bulk';
const chunks = Object.values(callingGames).flatMap((game) => {
  const ofGame = players.filter((player) => player.callingGame === game);
  return [ofGame.slice(0, 100), ofGame.slice(100)].map((some) => ({ game, some }));
});

describe('the test data', () => {
  test('contains one player of every kind', () => assert.equal(players.length, 3 * 3 * 2 * 2 * 3 * 2));
});

describe('GET /api/player-profiles/{playerId}', () => {
  for (const kind of callers) {
    test(`returns the expected result for every player: ${kind}`, async () => {
      await Promise.all(
        players.map(async (player) => {
          const caller = credentialsOf(kind, player.callingGame);
          const answer = await app.http.get(`/api/player-profiles/${player.requestedId}`, caller);
          assertAnswer(answer, expectedOfOne(kind, player), labelOf(player));
        }),
      );
    });
  }

  test('returns the same 404 for players who are not visible and for unknown ids', async () => {
    const { apiKey } = callingGames.shown;
    const [missing, ...unseen] = await Promise.all(
      [
        randomUUID(),
        ...players
          .filter((player) => player.callingGame === callingGames.shown && !isInItems(player))
          .map((player) => player.requestedId),
      ].map(async (id) => {
        const { body, status } = await app.http.get(`/api/player-profiles/${id}`, { apiKey });
        return { status, ...body, requestId: '', instance: '' };
      }),
    );
    assert.ok(unseen.length > 50);
    for (const answer of unseen) assert.deepEqual(answer, missing);
  });
});

describe('POST /api/player-profiles/bulk', () => {
  test('returns the visible players to a key with data access', async () => {
    for (const { game, some } of chunks) {
      const playerIds = some.map((player) => player.requestedId);
      const answer = await app.http.post(BULK, { playerIds }, { apiKey: game.apiKey });
      assert.equal(answer.status, 200, answer.text);
      const seen = some.filter(isInItems);
      assert.deepEqual(answer.body, {
        items: seen.map(itemOf),
        notFound: some.filter((player) => !isInItems(player)).map((player) => player.requestedId),
        requestedCount: some.length,
        processedCount: some.length,
        returnedCount: seen.length,
      });
    }
  });

  test('refuses all other credentials', async () => {
    for (const [kind, status, code] of [
      ['game key', 401, 'missing_api_key'],
      ['key without data', 403, 'data_api_not_allowed'],
      ['nobody', 401, 'missing_api_key'],
      ['both keys', 400, 'conflicting_credentials'],
    ] as const) {
      for (const { game, some } of chunks) {
        const playerIds = some.map((player) => player.requestedId);
        const answer = await app.http.post(BULK, { playerIds }, credentialsOf(kind, game));
        assertAnswer(answer, { status, code }, kind);
      }
    }
  });
});

describe('GET /api/public/player-profiles/{playerId}', () => {
  test('returns the expected result for every player, with all credentials', async () => {
    await Promise.all(
      players.map(async (player, index) => {
        const caller = credentialsOf(callers[index % callers.length]!, player.callingGame);
        const answer = await app.http.get(`/api/public/player-profiles/${player.requestedId}`, caller);
        assertAnswer(answer, expectedInPublic(player), labelOf(player));
      }),
    );
  });
});
