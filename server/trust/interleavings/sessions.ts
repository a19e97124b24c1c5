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

const logOut =
  ({ tenant }: Stage, { sessionId }: { sessionId: string }): Request =>
  (http) =>
    http.post('/api/player-auth/logout', { sessionId }, { gameKey: tenant.gameKey });

const ban =
  ({ tenant, admin }: Stage, { playerId }: { playerId: string }): Request =>
  (http) =>
    http.post(`/api/bus_tenants/${tenant.tenantId}/players/${playerId}/ban`, {}, admin);

const deleteProfile =
  ({ caller }: Player): Request =>
  (http) =>
    http.delete('/api/player-profile/me', caller);

/** Signs a new player in from a device. */
async function playerWithDevice(stage: Stage) {
  const player = await newPlayer(stage);
  const deviceInfo = { deviceFingerprint: randomUUID() };
  const { body } = await logIn(stage, player, { deviceInfo })(stage.app.inject);
  const [device] = await stage.query<{ id: string }>(
    'SELECT id FROM devices WHERE player_id = $1',
    player.playerId,
  );
  return { ...player, ...(body as { refreshToken: string }), deviceInfo, deviceId: device!.id };
}

/** Sign-ins, refreshes, and what ends sessions. */
export const sessionScenarios: Scenario[] = [
  {
    name: 'a refresh token is exchanged once',
    async arrange(stage) {
      const player = await newPlayer(stage);
      return {
        requests: [refresh(stage, player), refresh(stage, player), refresh(stage, player)],
        async check(answers) {
          assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401]);
          const [winner] = accepted(answers);
          assert.equal(
            (await refresh(stage, winner!.body)(stage.app.inject)).status,
            200,
            'the winner keeps its token',
          );
        },
      };
    },
    guard: {
      statement: [['WHERE token.used_at IS NULL AND token.expires_at', 'WHERE token.expires_at']],
    },
  },
  {
    name: 'a logout ends a session that is refreshed',
    async arrange(stage) {
      const player = await newPlayer(stage);
      return {
        requests: [refresh(stage, player), logOut(stage, player), refresh(stage, player)],
        async check(answers) {
          assert.equal(answers[1]!.status, 200);
          await refuseTokens(stage, answers);
        },
      };
    },
    guard: {
      statement: [['ended_at IS NULL AND tokens_revoked_at IS NULL AS is_alive', 'true AS is_alive']],
    },
  },
  {
    name: 'a session ends once',
    async arrange(stage) {
      const player = await newPlayer(stage);
      return {
        requests: [logOut(stage, player), logOut(stage, player), ban(stage, player), logOut(stage, player)],
        async check() {
          const rows = await stage.query(
            'SELECT id FROM logout_ledger WHERE session_id = $1',
            player.sessionId,
          );
          assert.equal(rows.length, 1, 'the ledger has one logout of the session');
        },
      };
    },
    guard: { statement: [['AND ended_at IS NULL\n      RETURNING player_id', 'RETURNING player_id']] },
  },
  {
    name: 'a ban ends the sessions of concurrent sign-ins',
    async arrange(stage) {
      const player = await newPlayer(stage);
      return {
        requests: [logIn(stage, player), ban(stage, player), logIn(stage, player), refresh(stage, player)],
        async check(answers) {
          assert.equal(answers[1]!.status, 201, answers[1]!.text);
          await assertNoOpenSession(stage, player.playerId);
          await refuseTokens(stage, [answers[0], answers[2], answers[3]]);
        },
      };
    },
    guard: {
      statement: [
        ["WHEN (SELECT banned_until > now() FROM access) THEN guildhall_refuse('player_banned')", ''],
      ],
    },
  },
  {
    name: 'a block ends the sessions of concurrent sign-ins from the device',
    async arrange(stage) {
      const player = await playerWithDevice(stage);
      const { deviceInfo, deviceId } = player;
      const block: Request = (http) =>
        http.patch(`/api/player/devices/${deviceId}`, { isBlocked: true }, player.caller);
      return {
        requests: [
          logIn(stage, player, { deviceInfo }),
          block,
          refresh(stage, player),
          logIn(stage, player, { deviceInfo }),
        ],
        async check(answers) {
          assert.equal(answers[1]!.status, 200, answers[1]!.text);
          await refuseTokens(stage, [answers[0], answers[2], answers[3]]);
        },
      };
    },
    guard: {
      statement: [["WHEN (SELECT is_blocked FROM device) THEN guildhall_refuse('device_blocked')", '']],
    },
  },
  {
    name: 'a deletion ends the sessions of concurrent sign-ins, and keeps no sign-in method',
    async arrange(stage) {
      const player = await newPlayer(stage);
      const link: Request = (http) =>
        http.post(
          '/api/player-profile/me/auth-methods',
          { provider: 'Mock', token: `mock:${randomUUID()}:secret` },
          player.caller,
        );
      return {
        // In one process, the deletion and the link would take turns.
        requests: [logIn(stage, player), deleteProfile(player), link, refresh(stage, player)],
        async check(answers) {
          assert.equal(answers[1]!.status, 204, answers[1]!.text);
          await assertNoOpenSession(stage, player.playerId);
          const methods = await stage.query(
            'SELECT id FROM auth_methods WHERE player_id = $1',
            player.playerId,
          );
          assert.deepEqual(methods, [], 'a deleted profile has a sign-in method');
        },
      };
    },
    guard: { routine: 'guildhall_lock_profiles', part: ['FOR NO KEY UPDATE', ''] },
  },
];
