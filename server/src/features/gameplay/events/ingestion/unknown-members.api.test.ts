import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../../../../testing/arrange.ts';
import { startTestApp } from '../../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app, { autoCreate: true });
const player = await arrangePlayer(app, tenant);
const match = await app.http.post(
  '/api/game/matches',
  { players: [{ playerId: player.playerId }] },
  { gameKey: tenant.gameKey },
);
const { matchSessionId, players } = match.body;

let count = 0;
const fields = (eventKey: string) => ({
  eventKey,
  idempotencyKey: `key-${++count}`,
  occurredAt: '2026-11-20T10:00:00Z',
});
const endpoints = [
  {
    path: '/api/game/events',
    scope: 'match',
    event: (more: object = {}) => ({
      matchSessionId,
      matchPlayerId: players[0].matchPlayerId,
      ...fields('move'),
      ...more,
    }),
  },
  {
    path: '/api/game/player-events',
    scope: 'player',
    event: (more: object = {}) => ({ playerId: player.playerId, ...fields('jump'), ...more }),
  },
];

for (const { path, scope, event } of endpoints) {
  const send = (events: object[]) => app.http.post(path, { events }, player.caller);

  describe(`POST ${path}`, () => {
    test('stores an event with unknown members and warns once per member name', async () => {
      const answer = await send([
        event(),
        event({ props: { level: 3 }, value: 1, loginSessionId: null }),
        event({ prop: 1, props: {} }),
      ]);
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.body.records.length, 3);
      assert.deepEqual(answer.body.warnings, [
        { index: 1, message: `"props" is not a field of a ${scope} event. It was not stored.` },
        { index: 2, message: `"prop" is not a field of a ${scope} event. It was not stored.` },
      ]);
    });

    test('returns no warning for known fields', async () => {
      const all = { eventDefinitionId: null, eventValue: 'high', value: '5', loginSessionId: null };
      const answer = await send([event(all)]);
      assert.deepEqual([answer.status, answer.body.warnings], [201, []]);
    });

    test('returns warnings for rejected events too', async () => {
      const answer = await send([event({ eventKey: undefined, event_key: 'jump' })]);
      assert.equal(answer.status, 422);
      assert.equal(answer.headers.get('content-type'), 'application/problem+json');
      assert.deepEqual(
        [answer.body.code, answer.body.errors.length, answer.body.warnings.length],
        ['events_rejected', 1, 1],
      );
      assert.match(answer.body.warnings[0].message, /"event_key"/);
    });

    test('returns at most 20 names of 64 characters, then one warning for the rest', async () => {
      const names = Array.from({ length: 30 }, (_, index) => [`${'🎲'.repeat(64)}${index}`, index]);
      const { body, status } = await send([event(Object.fromEntries(names)), event({ more: 1 })]);
      assert.equal(status, 201);
      assert.equal(body.warnings.length, 21);
      assert.ok(body.warnings[0].message.startsWith(`"${'🎲'.repeat(64)}…" is not a field`));
      assert.match(body.warnings[20].message, /more than 20 unknown member names/);
      const exact = { ['🎲'.repeat(64)]: 1 };
      assert.ok((await send([event(exact)])).body.warnings[0].message.startsWith(`"${'🎲'.repeat(64)}" is`));
    });
  });
}
