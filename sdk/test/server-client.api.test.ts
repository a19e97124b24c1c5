import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { startTestApp } from '../../server/src/testing/test-app.ts';
import { startFaultProxy } from '../conformance/fault-proxy.ts';
import {
  createApiClient,
  createEventQueue,
  createPlayerClient,
  memoryStorage,
  type DroppedEvents,
} from '../src/index.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { createServerClient, type ServerClientOptions } from '../src/server.ts';
import { trackCalls } from './called-methods.ts';
import { failsWith } from './fails-with.ts';
import { arrangeGame } from './game.ts';

const app = await startTestApp();
const proxy = await startFaultProxy(app.url);
after(() => proxy.close());
const tenant = await arrangeGame(app);
const { gameKey } = tenant;
const mock = (name: string) => ({ provider: 'Mock', token: `mock:${name}:secret` }) as const;
const retries = { backOff: { firstMs: 10, longestMs: 100 } };

const tracked = trackCalls(['api.']);
const newServer = (options: Partial<ServerClientOptions> = {}) =>
  tracked(createServerClient({ baseUrl: app.url, gameKey, apiKey: tenant.apiKey, retries, ...options }));

describe('createServerClient', () => {
  test('creates one match when answers are lost, and records it', async () => {
    const server = newServer({ baseUrl: proxy.url });
    const [one, other] = await Promise.all([server.signIn(mock('one')), server.signIn(mock('other'))]);
    proxy.plan([{ match: 'POST /api/game/matches', action: 'drop_answer', times: 3 }]);
    const { matchSessionId, players } = await server.matches.create({
      players: [{ playerId: one.playerId }],
    });
    const { matchPlayerId } = await server.matches.join(matchSessionId, { playerId: other.playerId });
    await server.matches.recordResults(matchSessionId, [{ matchPlayerId, placement: 1 }]);
    await server.matches.leave(matchSessionId, players[0]!.matchPlayerId);
    await server.matches.end(matchSessionId);
    assert.equal((await server.matches.get(matchSessionId)).players.length, 2);
    const { rows } = await app.owner.query(
      'SELECT count(DISTINCT match_session_id)::int AS matches FROM match_players WHERE tenant_id = $1 AND player_id = $2',
      [tenant.tenantId, one.playerId],
    );
    assert.deepEqual(rows, [{ matches: 1 }]);

    assert.equal(await server.players.find({ provider: 'Mock', providerUserId: 'one' }), one.playerId);
    assert.equal((await server.players.getMany([one.playerId, other.playerId])).items.length, 2);
    await assert.rejects(
      server.players.find({ provider: 'Mock', providerUserId: 'nobody' }),
      failsWith('player_not_found', 404),
    );
  });

  test('validates the assertion of a player, and exchanges the refresh token of a third party', async () => {
    const server = newServer();
    const game = createPlayerClient({ baseUrl: app.url, gameKey });
    const { playerId } = await game.signIn.withProvider(mock('third'));
    const audience = 'https://shop.example';
    const { assertionToken, refreshToken } = await game.createAssertion(audience, {
      includeRefreshToken: true,
    });
    assert.equal((await server.assertions.validate(assertionToken, audience)).playerId, playerId);
    await assert.rejects(
      server.assertions.validate(assertionToken, 'other'),
      failsWith('audience_mismatch', 401),
    );
    const next = await server.assertions.exchange(refreshToken!, audience);
    assert.equal((await server.assertions.validate(next.assertionToken, audience)).active, true);
  });

  test('verifies the token of a game client, also after lost answers', async () => {
    const game = createPlayerClient({ baseUrl: app.url, gameKey });
    const { playerId, sessionId } = await game.signIn.withProvider(mock('verified'));
    const token = (await game.session.accessToken())!;
    proxy.plan([{ match: 'GET /api/game/player', action: 'drop_answer', times: 2 }]);
    const verified = await newServer({ baseUrl: proxy.url }).players.verify(token);
    assert.deepEqual([verified.playerId, verified.sessionId], [playerId, sessionId]);
    const { gameKey: otherKey } = await arrangeGame(app);
    await assert.rejects(
      newServer({ gameKey: otherKey }).players.verify(token),
      failsWith('invalid_bearer', 401),
    );
    await game.signOut();
    await assert.rejects(newServer().players.verify(token), failsWith('session_ended', 401));
  });

  test('sends exact 64-bit values, and reads them back', async () => {
    const server = newServer();
    const { playerId, accessToken } = await server.signIn(mock('exact'));
    const value = 9_223_372_036_854_775_807n;
    const event = { playerId, eventKey: 'big', value, idempotencyKey: 'big-1', occurredAt: new Date() };
    const { stored, duplicates } = await server.sendPlayerEvents(accessToken, [event, event]);
    assert.deepEqual([stored, duplicates], [1, 1]);
    const api = createApiClient({ baseUrl: app.url, apiKey: tenant.apiKey });
    const { items } = await api.GET('/api/bus_tenants/{tenantId}/events', {
      params: { path: { tenantId: tenant.tenantId }, query: { scope: 'player', playerId } },
    });
    assert.deepEqual(
      items.map((item) => item.value),
      [value],
    );
  });

  test('refuses a number that was rounded, before anything is sent', async () => {
    let sent = 0;
    const counted: typeof fetch = async (...call) => (sent++, fetch(...call));
    const name = { eventKey: 'big', idempotencyKey: 'big', occurredAt: new Date() };
    const message = (member: string, value: number) =>
      `${member} must be a safe integer, not ${value}. Pass a larger integer as a bigint.`;
    const server = newServer({ fetch: counted });
    for (const value of [2 ** 53, 1.5, NaN]) {
      const refused = { name: 'RangeError', message: message('events[1].value', value) };
      const player = { playerId: randomUUID(), ...name };
      const match = { matchSessionId: randomUUID(), matchPlayerId: randomUUID(), ...name };
      await assert.rejects(server.sendPlayerEvents('token', [player, { ...player, value }]), refused);
      await assert.rejects(server.sendMatchEvents('token', [match, { ...match, value }]), refused);
    }
    const game = createPlayerClient({ baseUrl: app.url, gameKey });
    await game.signIn.withProvider(mock('rounded'));
    const queue = createEventQueue(game, { storage: memoryStorage() });
    const refused = { name: 'RangeError', message: message('value', 2 ** 53) };
    await assert.rejects(queue.addPlayerEvent({ eventKey: 'big', value: 2 ** 53 }), refused);
    assert.equal(queue.progress.waiting, 0);
    await queue.close();
    assert.equal(sent, 0);
  });

  test('looks players up, and needs an API key for many of them', async () => {
    const { playerId } = await newServer().signIn(mock('looked-up'));
    assert.equal((await newServer().players.get(playerId)).id, playerId);
    const unknown = randomUUID();
    const { items, notFound } = await newServer().players.getMany([playerId, unknown]);
    assert.deepEqual([items.map(({ id }) => id), notFound], [[playerId], [unknown]]);
    await assert.rejects(newServer().players.get('unknown'), failsWith('not_found', 404));
    const server = tracked(createServerClient({ baseUrl: app.url, gameKey }));
    await assert.rejects(
      server.players.getMany([playerId]),
      /TypeError: .*Pass apiKey to createServerClient/,
    );
  });

  test('throws invalid_bearer for anything that a stranger sends instead of a token', async () => {
    const { assertions, players } = newServer();
    const wrong = [
      undefined,
      null,
      '',
      ' ',
      {},
      [],
      5,
      'té',
      'token\r\nx-game-key: other',
      'a b',
      'wrong',
      'x'.repeat(20_000),
    ];
    for (const token of wrong as string[])
      for (const call of [assertions.validate, players.verify])
        await assert.rejects(call(token), failsWith('invalid_bearer', 401), JSON.stringify(token));
  });

  test('needs a token and an array to send events, even if it is empty', async () => {
    const { sendMatchEvents, sendPlayerEvents } = newServer();
    for (const send of [sendMatchEvents, sendPlayerEvents]) {
      await assert.rejects(send(undefined as never, []), /TypeError: The token is missing/);
      await assert.rejects(send('a\r\nb', []), { code: 'invalid_bearer', status: 401 });
      for (const events of [undefined, {}])
        await assert.rejects(send('token', events as never), /TypeError: The events must be an array/);
    }
  });

  test('sends events of a match once when answers are lost', async () => {
    const server = newServer({ baseUrl: proxy.url });
    const { playerId, accessToken } = await server.signIn(mock('fighter'));
    const { matchSessionId, players } = await server.matches.create({ players: [{ playerId }] });
    const { matchPlayerId } = players[0]!;
    const event = (value: number) => ({
      matchSessionId,
      matchPlayerId,
      eventKey: 'hit',
      value,
      idempotencyKey: `hit-${value}`,
      occurredAt: '2026-11-22T10:00:00Z',
    });
    proxy.plan([{ match: 'POST /api/game/events', action: 'drop_answer', times: 2 }]);
    const sent = await server.sendMatchEvents(accessToken, [
      event(1),
      event(2),
      { ...event(3), matchPlayerId: randomUUID() },
    ]);
    assert.deepEqual([sent.stored, sent.duplicates], [0, 2]);
    assert.deepEqual(
      sent.refused.map(({ index, refusal }) => [index, refusal.statusCode]),
      [[2, 404]],
    );
    assert.deepEqual(await server.sendMatchEvents(accessToken, []), {
      stored: 0,
      duplicates: 0,
      refused: [],
      warnings: [],
    });
    await assert.rejects(
      newServer().sendMatchEvents('expired', [event(4)]),
      failsWith('invalid_bearer', 401),
    );
  });

  test('sends a request again after the 429 of a gateway, and not after that of a used-up plan', async () => {
    const server = newServer({ baseUrl: proxy.url });
    const { playerId } = await server.signIn(mock('limited'));
    const match = { players: [{ playerId }] };
    proxy.plan([{ match: 'POST /api/game/matches', action: 'answer_429', times: 2 }]);
    assert.ok((await server.matches.create(match)).matchSessionId);
    proxy.plan([
      { match: 'POST /api/game/matches', action: 'answer_429', problem: { code: 'quota_exceeded' } },
    ]);
    await assert.rejects(server.matches.create(match), failsWith('quota_exceeded', 429));
  });

  test('sends a sign-in once, because each one starts a session', async () => {
    const { tenantId, gameKey } = await arrangeGame(app);
    const server = newServer({ baseUrl: proxy.url, gameKey });
    proxy.plan([{ match: 'POST /api/player-auth/login', action: 'drop_answer' }]);
    await assert.rejects(server.signIn(mock('once')), failsWith('network_error', 0));
    const { rows } = await app.owner.query(
      'SELECT count(*)::int AS logins FROM login_ledger WHERE tenant_id = $1',
      [tenantId],
    );
    assert.deepEqual(rows, [{ logins: 1 }]);
  });

  test('refreshes the tokens of its sign-in once when answers are lost', async () => {
    const server = newServer({ baseUrl: proxy.url });
    const { playerId, sessionId, ...first } = await server.signIn(mock('refreshed'));
    proxy.plan([{ match: 'POST /api/player-auth/refresh', action: 'drop_answer', times: 2 }]);
    const second = await server.refresh(first.refreshToken);
    assert.notEqual(second.refreshToken, first.refreshToken);
    const idempotencyKey = randomUUID();
    const third = await server.refresh(second.refreshToken, { idempotencyKey });
    const again = await server.refresh(second.refreshToken, { idempotencyKey });
    assert.equal(again.refreshToken, third.refreshToken);
    const event = { playerId, eventKey: 'late', idempotencyKey: 'late-1', occurredAt: new Date() };
    assert.equal((await server.sendPlayerEvents(third.accessToken, [event])).stored, 1);
    await server.api.POST('/api/player-auth/logout', { body: { sessionId } });
    await assert.rejects(server.refresh(third.refreshToken), failsWith('invalid_refresh_token', 401));
  });

  test('gives the same error after its last attempt', async () => {
    const server = newServer({ baseUrl: proxy.url, retries: { ...retries, attempts: 2 } });
    const { playerId } = await newServer().signIn(mock('unlucky'));
    proxy.requests.length = 0;
    proxy.plan([{ match: 'POST /api/game/matches', action: 'answer_503', times: 2 }]);
    await assert.rejects(
      server.matches.create({ players: [{ playerId }] }),
      failsWith('unexpected_answer', 503),
    );
    assert.equal(proxy.requests.length, 2);
    const idempotencyKey = randomUUID();
    const first = await server.matches.create({ players: [{ playerId }] }, { idempotencyKey });
    assert.deepEqual(await server.matches.create({ players: [{ playerId }] }, { idempotencyKey }), first);
  });
});

describe('createEventQueue', () => {
  test('delivers events of a match, and ends a wait with its signal', async () => {
    const game = createPlayerClient({ baseUrl: proxy.url, gameKey });
    const { playerId } = await game.signIn.withProvider(mock('queued'));
    const { matchSessionId, players } = await newServer().matches.create({ players: [{ playerId }] });
    const { matchPlayerId } = players[0]!;
    const queue = trackCalls()(createEventQueue(game, { storage: memoryStorage() }));
    const waiting: number[] = [];
    const unsubscribe = queue.subscribe((progress) => waiting.push(progress.waiting));
    await queue.addMatchEvent({ matchSessionId, matchPlayerId, eventKey: 'goal', value: 1 });
    await queue.addPlayerEvent({ eventKey: 'cheer', value: 1 });
    proxy.plan([{ match: 'POST /api/game/', action: 'cut', times: 1_000 }]);
    const giveUp = new AbortController();
    const flushed = queue.flush(giveUp.signal);
    giveUp.abort();
    assert.equal((await flushed).waiting, 2);
    proxy.plan([]);
    assert.equal((await queue.flush()).stored, 2);
    unsubscribe();
    await queue.close();
    assert.deepEqual([waiting[0], waiting.at(-1)], [1, 0]);
    await assert.rejects(queue.addPlayerEvent({ eventKey: 'late' }), failsWith('event_dropped', 0));
    await assert.rejects(
      createEventQueue(createPlayerClient({ baseUrl: app.url, gameKey }), {
        storage: memoryStorage(),
      }).addPlayerEvent({ eventKey: 'nobody' }),
      failsWith('not_signed_in', 0),
    );
  });

  test('reports the events that the storage refused, if it is closed before they are sent', async () => {
    const game = createPlayerClient({ baseUrl: proxy.url, gameKey });
    await game.signIn.withProvider(mock('full'));
    proxy.plan([{ match: 'POST /api/game/player-events', action: 'cut', times: 1_000 }]);
    const dropped: DroppedEvents[] = [];
    const queue = createEventQueue(game, {
      storage: {
        ...memoryStorage(),
        write: async () => {
          throw new Error('The storage is full.');
        },
      },
      onDropped: (drop) => dropped.push(drop),
    });
    const added = assert.rejects(queue.addPlayerEvent({ eventKey: 'lost' }), failsWith('event_dropped', 0));
    await eventually(() => queue.progress.unsaved === 1);
    await queue.close();
    await added;
    proxy.plan([]);
    assert.deepEqual(
      dropped.map(({ reason, events }) => [reason, events[0]?.['eventKey']]),
      [['closed', 'lost']],
    );
    assert.deepEqual([queue.progress.waiting, queue.progress.dropped], [0, 1]);
  });
});

test('a client says that its address is wrong', () => {
  for (const baseUrl of [
    '127.0.0.1:8080',
    '',
    undefined as unknown as string,
    `${app.url}/?x=1`,
    `${app.url}/#/`,
  ])
    assert.throws(() => createPlayerClient({ baseUrl, gameKey }), /baseUrl is the address of the server/);
});

test('a client says that its game key is wrong', () => {
  for (const create of [createPlayerClient, createServerClient]) {
    for (const wrong of ['gh_game_…', 'gh_api_0f'])
      assert.throws(() => create({ baseUrl: app.url, gameKey: wrong }), /gameKey must begin with gh_game_/);
    for (const missing of ['', undefined as unknown as string])
      assert.throws(() => create({ baseUrl: app.url, gameKey: missing }), /gameKey is missing/);
  }
});
