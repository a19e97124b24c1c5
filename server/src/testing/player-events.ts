import assert from 'node:assert/strict';
import { arrangePlayer, arrangeTenant } from './arrange.ts';
import type { TestApp } from './test-app.ts';

let count = 0;

/** Creates gameplay events of a player, each with its own idempotency key. */
export const someEvents = (playerId: string, number: number) =>
  Array.from({ length: number }, () => ({
    playerId,
    eventKey: 'jump',
    idempotencyKey: `key-${++count}`,
    occurredAt: '2026-11-20T10:00:00Z',
  }));

/** Creates a player of a new tenant with auto-create, who has sent one event. `send` posts events of the player, and `some` creates them. */
export async function arrangeEventSender(app: TestApp) {
  const tenant = await arrangeTenant(app, { autoCreate: true });
  const { playerId, caller } = await arrangePlayer(app, tenant);
  const send = (events: object[]) => app.http.post('/api/game/player-events', { events }, caller);
  const first = await send(someEvents(playerId, 1));
  assert.equal(first.status, 201, first.text);
  return { tenant, caller, send, some: (number: number) => someEvents(playerId, number) };
}
