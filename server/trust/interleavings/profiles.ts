import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  accepted,
  assertNoOpenSession,
  logIn,
  newPlayer,
  refresh,
  refuseTokens,
  type Player,
  type Request,
  type Scenario,
  type Stage,
} from './stage.ts';

const ME = '/api/player-profile/me';

const link =
  ({ caller }: Player, username: string): Request =>
  (http) =>
    http.post(`${ME}/auth-methods`, { provider: 'Mock', token: `mock:${username}:secret` }, caller);

const unlink =
  ({ caller }: Player, methodId: string): Request =>
  (http) =>
    http.delete(`${ME}/auth-methods/${methodId}`, caller);

const makePrimary =
  ({ caller }: Player, methodId: string): Request =>
  (http) =>
    http.post(`${ME}/auth-methods/${methodId}/set-primary`, undefined, caller);

/** Merges a player into the player of the caller. */
const merge =
  (source: Player, { caller }: Player): Request =>
  (http) =>
    http.post(
      `${ME}/merge`,
      {
        sourceProfileId: source.playerId,
        sourceProvider: 'Mock',
        sourceAuthToken: `mock:${source.username}:secret`,
      },
      caller,
    );

const deleteProfile =
  ({ caller }: Player): Request =>
  (http) =>
    http.delete(ME, caller);

/** Checks the rules of all profiles: methods belong to active profiles, and each active profile has one primary method. */
async function checkProfiles({ query }: Stage, players: Player[]): Promise<void> {
  const rows = await query<{ isActive: boolean; methods: number; primary: number }>(
    `SELECT is_active AS "isActive", count(method.id)::int AS methods, count(*) FILTER (WHERE method.is_primary)::int AS primary
     FROM players player LEFT JOIN auth_methods method ON method.player_id = player.id
     WHERE player.id = ANY($1) GROUP BY player.id`,
    players.map(({ playerId }) => playerId),
  );
  assert.equal(rows.length, players.length);
  for (const { isActive, methods, primary } of rows)
    if (isActive) {
      assert.ok(methods > 0, 'an active profile has no sign-in method');
      assert.equal(primary, 1, `an active profile has ${primary} primary methods`);
    } else assert.equal(methods, 0, 'a closed profile has a sign-in method');
}

async function twoMethods(stage: Stage) {
  const player = await newPlayer(stage);
  const { body } = await link(player, randomUUID())(stage.app.inject);
  const [first] = await stage.query<{ id: string }>(
    'SELECT id FROM auth_methods WHERE player_id = $1 AND is_primary',
    player.playerId,
  );
  return { player, methods: [first!.id, body.id as string] as const };
}

/** Sign-in methods, merges and deletions of profiles. */
export const profileScenarios: Scenario[] = [
  {
    name: 'an identity belongs to one profile',
    async arrange(stage) {
      const [ada, bob] = [await newPlayer(stage), await newPlayer(stage)];
      const username = randomUUID();
      return {
        requests: [link(ada, username), link(bob, username), logIn(stage, { username }), link(ada, username)],
        async check(answers) {
          const methods = await stage.query('SELECT id FROM auth_methods WHERE username = $1', username);
          assert.equal(methods.length, 1, `the identity has ${methods.length} sign-in methods`);
          assert.ok(
            accepted([answers[0]!, answers[1]!]).length <= 1,
            'two profiles have linked the identity',
          );
        },
      };
    },
    guard: {
      table: 'auth_methods',
      constraint: 'auth_methods_auth_provider_issuer_provider_user_id_key',
      statement: [['ON CONFLICT (auth_provider, issuer, provider_user_id) DO NOTHING', '']],
    },
  },
  {
    name: 'a profile keeps a sign-in method, and has one primary method',
    async arrange(stage) {
      const { player, methods } = await twoMethods(stage);
      return {
        requests: [
          unlink(player, methods[0]),
          makePrimary(player, methods[1]),
          unlink(player, methods[1]),
          link(player, randomUUID()),
        ],
        check: () => checkProfiles(stage, [player]),
      };
    },
    guard: { routine: 'guildhall_lock_profiles', part: ['FOR NO KEY UPDATE', ''] },
  },
  {
    name: 'the removal of a method ends the sessions of concurrent sign-ins with it',
    async arrange(stage) {
      const { player, methods } = await twoMethods(stage);
      return {
        requests: [
          logIn(stage, player),
          unlink(player, methods[0]),
          refresh(stage, player),
          logIn(stage, player),
        ],
        async check(answers) {
          assert.equal(answers[1]!.status, 204, answers[1]!.text);
          // A sign-in after the removal creates another player.
          await refuseTokens(
            stage,
            answers.filter(({ body }) => body?.playerId === player.playerId),
          );
          await checkProfiles(stage, [player]);
        },
      };
    },
    guard: {
      statement: [["WHEN NOT EXISTS (SELECT FROM method) THEN guildhall_refuse('lost_race')", '']],
    },
  },
  {
    name: 'two profiles are not merged into each other',
    async arrange(stage) {
      const [ada, bob] = [await newPlayer(stage), await newPlayer(stage)];
      return {
        requests: [merge(ada, bob), merge(bob, ada), link(ada, randomUUID())],
        async check(answers) {
          assert.ok(accepted(answers.slice(0, 2)).length <= 1, 'both merges were accepted');
          await checkProfiles(stage, [ada, bob]);
        },
      };
    },
    guard: { routine: 'guildhall_lock_profiles', part: ['FOR NO KEY UPDATE', ''] },
  },
  {
    name: 'a merge ends the sessions of the source',
    async arrange(stage) {
      const [target, source] = [await newPlayer(stage), await newPlayer(stage)];
      return {
        requests: [merge(source, target), logIn(stage, source), refresh(stage, source)],
        async check(answers) {
          assert.equal(answers[0]!.status, 200, answers[0]!.text);
          await checkProfiles(stage, [target, source]);
          await assertNoOpenSession(stage, source.playerId);
          await refuseTokens(stage, [answers[2]]);
        },
      };
    },
    guard: {
      statement: [["WHEN NOT (SELECT is_active FROM player) THEN guildhall_refuse('lost_race')", '']],
    },
  },
  {
    name: 'a deletion and a merge of one profile leave no sign-in method behind',
    async arrange(stage) {
      const [target, source] = [await newPlayer(stage), await newPlayer(stage)];
      return {
        requests: [
          merge(source, target),
          deleteProfile(source),
          deleteProfile(target),
          link(source, randomUUID()),
        ],
        check: () => checkProfiles(stage, [target, source]),
      };
    },
    guard: { routine: 'guildhall_lock_profiles', part: ['FOR NO KEY UPDATE', ''] },
  },
];
