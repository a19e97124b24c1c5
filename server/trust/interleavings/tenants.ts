import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { arrangeTenant } from '../../src/testing/arrange.ts';
import { avoidEndOf } from '../../src/testing/avoid-end-of.ts';
import { arrangeWalletPlayer } from '../../src/testing/wallet-recording.ts';
import { accepted, newPlayer, type Request, type Scenario } from './stage.ts';

/** The data that players of a tenant share: the plan, definitions, events, matches and the wallet ledger. */
export const tenantScenarios: Scenario[] = [
  {
    name: 'a hard stop accepts as many units as the plan has',
    async arrange(stage, random) {
      await avoidEndOf('month');
      const tenant = await arrangeTenant(stage.app);
      const units = 1 + random(3);
      await stage.query(
        'UPDATE workspaces SET monthly_units = $2, hard_stop = true WHERE id = $1',
        tenant.workspaceId,
        units,
      );
      // As at the begin of a month: the first charge counts the usage.
      await stage.query('DELETE FROM usage_allowances WHERE workspace_id = $1', tenant.workspaceId);
      const logIn: Request = (http) =>
        http.post(
          '/api/player-auth/login',
          { provider: 'Mock', token: `mock:${randomUUID()}:secret` },
          { gameKey: tenant.gameKey },
        );
      return {
        requests: [logIn, logIn, logIn, logIn],
        async check(answers) {
          const [used] = await stage.query<{ units: number }>(
            'SELECT coalesce(sum(units), 0)::int AS units FROM usage_entries WHERE workspace_id = $1',
            tenant.workspaceId,
          );
          assert.deepEqual(
            [accepted(answers).length, used!.units],
            [units, units],
            'accepted requests and charged units',
          );
        },
      };
    },
    guard: {
      routine: 'guildhall_allocate_units',
      part: ['PERFORM pg_advisory_xact_lock', 'PERFORM pg_advisory_xact_lock_shared'],
    },
  },
  {
    name: 'a definition is created once, and an event is stored once',
    async arrange(stage) {
      const { playerId, caller } = await newPlayer(stage);
      const event = {
        playerId,
        eventKey: randomUUID().slice(0, 30),
        idempotencyKey: randomUUID(),
        occurredAt: '2026-11-20T10:00:00Z',
      };
      const send: Request = (http) => http.post('/api/game/player-events', { events: [event] }, caller);
      const sendTwo: Request = (http) =>
        http.post(
          '/api/game/player-events',
          { events: [event, { ...event, idempotencyKey: randomUUID() }] },
          caller,
        );
      return {
        requests: [send, sendTwo, send],
        async check(answers) {
          const definitions = await stage.query(
            'SELECT id FROM event_definitions WHERE event_key = $1',
            event.eventKey,
          );
          assert.equal(definitions.length, 1, `${definitions.length} definitions of a key`);
          assert.deepEqual(
            answers.flatMap(({ body }) => body.errors ?? []),
            [],
            'no request has an error',
          );
          const events = await stage.query(
            'SELECT id FROM player_events WHERE idempotency_key = $1',
            event.idempotencyKey,
          );
          assert.equal(events.length, 1, `${events.length} events of an idempotency key`);
        },
      };
    },
    guard: {
      statement: [
        [
          'AS wanted (id, event_key, event_value, event_scope, event_category, event_description, is_active)\n',
          'AS wanted',
        ],
      ],
    },
  },
  {
    name: 'a match has a player once, and ends once',
    async arrange(stage) {
      const { tenant } = stage;
      const [ada, bob] = [await newPlayer(stage), await newPlayer(stage)];
      const game = { gameKey: tenant.gameKey };
      const { body } = await stage.app.inject.post(
        '/api/game/matches',
        { players: [{ playerId: ada.playerId }] },
        game,
      );
      const path = `/api/game/matches/${body.matchSessionId}`;
      const join: Request = (http) => http.post(`${path}/join`, { playerId: bob.playerId }, game);
      const end: Request = (http) => http.post(`${path}/end`, {}, game);
      return {
        requests: [join, end, join, end],
        async check(answers) {
          assert.equal(answers[1]!.body.endedAt, answers[3]!.body.endedAt, 'a match has two ends');
          const roster = await stage.query(
            'SELECT id FROM match_players WHERE match_session_id = $1 AND player_id = $2',
            body.matchSessionId,
            bob.playerId,
          );
          const joined = new Set(
            accepted([answers[0]!, answers[2]!]).map((answer) => answer.body.matchPlayerId),
          );
          assert.equal(roster.length, joined.size, 'the roster has the accepted players');
          assert.ok(joined.size <= 1, 'a player is in a match twice');
        },
      };
    },
    guard: { statement: [['SET ended_at = coalesce(ended_at, $1)', 'SET ended_at = $1']] },
  },
  {
    name: 'an Idempotency-Key creates one match',
    async arrange(stage) {
      const { playerId } = await newPlayer(stage);
      const caller = { gameKey: stage.tenant.gameKey, headers: { 'idempotency-key': randomUUID() } };
      const create: Request = (http) => http.post('/api/game/matches', { players: [{ playerId }] }, caller);
      return {
        requests: [create, create, create],
        async check(answers) {
          assert.equal(new Set(answers.map(({ text }) => text)).size, 1, 'the answers differ');
          assert.equal(answers[0]!.status, 201);
          const matches = await stage.query('SELECT id FROM match_players WHERE player_id = $1', playerId);
          assert.equal(matches.length, 1, `${matches.length} matches were created`);
        },
      };
    },
    guard: { statement: [["WHERE known.created_at <= now() - interval '24 hours'", '']] },
  },
  {
    name: 'the wallet ledger is one chain without gaps',
    async arrange(stage) {
      const { walletTenant, app, query } = stage;
      const player = await arrangeWalletPlayer({ http: app.inject }, walletTenant);
      const post =
        (path: string, body: object): Request =>
        (http) =>
          http.post(`/api/BlockchainStorage/${path}`, body, { bearer: player.bearer });
      const [before] = await query<{ entries: number; sessions: number }>(
        'SELECT entries::int, sessions::int FROM wallet_ledgers WHERE tenant_id = $1',
        walletTenant.tenantId,
      );
      const start = post('sessions/login/start', { device: 'x', startTime: 1 });
      return {
        requests: [start, post('players/set/score', { newScore: 5 }), start, start],
        async check(answers) {
          assert.deepEqual(
            answers.map(({ status }) => status),
            [200, 200, 200, 200],
          );
          const sessions = [0, 2, 3]
            .map((place) => answers[place]!.body.sessionId as number)
            .toSorted((a, b) => a - b);
          assert.deepEqual(
            sessions,
            [1, 2, 3].map((place) => before!.sessions + place),
            'the numbers of the sessions',
          );
          const broken = await query(
            `SELECT entry.entry_index FROM wallet_ledger_entries entry
             LEFT JOIN wallet_ledger_entries earlier
               ON earlier.tenant_id = entry.tenant_id AND earlier.entry_index = entry.entry_index - 1
             WHERE entry.tenant_id = $1 AND entry.entry_index > $2 AND entry.previous_hash IS DISTINCT FROM earlier.hash`,
            walletTenant.tenantId,
            before!.entries,
          );
          assert.deepEqual(broken, [], 'the chain is broken');
        },
      };
    },
    guard: {
      statement: [
        ['INSERT INTO wallet_ledgers AS head (tenant_id) VALUES ($1)', ''],
        ['ON CONFLICT (tenant_id) DO UPDATE SET entries = head.entries\n    RETURNING', 'SELECT'],
        ['clock_timestamp() AS now', 'clock_timestamp() AS now FROM wallet_ledgers WHERE tenant_id = $1'],
      ],
    },
  },
];
