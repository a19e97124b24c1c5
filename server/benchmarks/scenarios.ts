import { Client } from 'undici';
import type { TestTenant } from '../src/testing/arrange.ts';
import { httpClient } from '../src/testing/http-client.ts';
import { runClosedLoop, type LoadResult } from './closed-loop.ts';
import type { ServerProcess } from './server-process.ts';

interface Load {
  connections: number;
  seconds: number;
  /** Runs when the load is prepared. */
  onBegin?: (() => Promise<void>) | undefined;
  requests?: number;
}

/** Sends new match events, `batch` per request. Each connection is a player in its own match. */
export async function loadEvents(
  server: ServerProcess,
  tenant: TestTenant,
  options: Load & { batch: number; until?: AbortSignal },
): Promise<LoadResult> {
  const http = httpClient(server.url);
  const players = await Promise.all(
    Array.from({ length: options.connections }, async (_, index) => {
      const login = await http.post('/api/player-auth/login', mock(`event-player-${index}`), tenant);
      const match = await http.post(
        '/api/game/matches',
        { players: [{ playerId: login.body.playerId }] },
        tenant,
      );
      return {
        headers: { 'x-game-key': tenant.gameKey, authorization: `Bearer ${login.body.accessToken}` },
        ids: `"matchSessionId":"${match.body.matchSessionId}","matchPlayerId":"${match.body.players[0].matchPlayerId}"`,
      };
    }),
  );
  const run = Date.now().toString(36);
  let sent = 0;
  return runClosedLoop({
    ...options,
    url: server.url,
    next(connection) {
      const player = players[connection]!;
      const at = Date.now();
      const number = sent++;
      let body = '{"events":[';
      for (let index = 0; index < options.batch; index++) {
        body +=
          `${index ? ',' : ''}{${player.ids},"eventKey":"move","eventValue":"e4","idempotencyKey":"${run}-${number}-${index}",` +
          `"value":${index},"occurredAt":"${new Date(at + index).toISOString()}"}`;
      }
      return { path: '/api/game/events', headers: player.headers, body: `${body}]}` };
    },
  });
}

/** Signs in existing or new players with Mock. */
export function loadLogins(
  server: ServerProcess,
  tenant: TestTenant,
  options: Load & { kind: 'existing' | 'new' },
): Promise<LoadResult> {
  let count = 0;
  const run = Date.now().toString(36);
  const headers = { 'x-game-key': tenant.gameKey };
  return runClosedLoop({
    ...options,
    url: server.url,
    next() {
      const username = options.kind === 'new' ? `${run}-${count++}` : `known-${count++ % KNOWN_PLAYERS}`;
      const device = {
        deviceInfo: { deviceFingerprint: `fingerprint-of-${username}`, osVersion: '11' },
        clientInfo: { platform: 'PC_Windows' },
      };
      return {
        path: '/api/player-auth/login',
        headers,
        body: JSON.stringify({ ...mock(username), ...device }),
      };
    },
  });
}

const KNOWN_PLAYERS = 2_000;

/** Signs in each known player once, so that they exist for the load. */
export async function signInKnownPlayers(server: ServerProcess, tenant: TestTenant): Promise<void> {
  let count = 0;
  const headers = { 'x-game-key': tenant.gameKey };
  const next = () => {
    const username = `known-${count++}`;
    const device = { deviceInfo: { deviceFingerprint: `fingerprint-of-${username}` } };
    return {
      path: '/api/player-auth/login',
      headers,
      body: JSON.stringify({ ...mock(username), ...device }),
    };
  };
  await runClosedLoop({ url: server.url, connections: 16, seconds: 120, requests: KNOWN_PLAYERS, next });
}

/** Refreshes tokens. Each connection repeatedly exchanges its own token. */
export async function loadRefreshes(
  server: ServerProcess,
  tenant: TestTenant,
  options: Load,
): Promise<LoadResult> {
  const http = httpClient(server.url);
  const tokens = await Promise.all(
    Array.from({ length: options.connections }, async (_, index) => {
      const login = await http.post('/api/player-auth/login', mock(`known-${index}`), tenant);
      return login.body.refreshToken as string;
    }),
  );
  return runClosedLoop({
    ...options,
    url: server.url,
    next: (connection) => ({
      path: '/api/player-auth/refresh',
      headers: { 'x-game-key': tenant.gameKey },
      body: JSON.stringify({ refreshToken: tokens[connection] }),
    }),
    onAnswer: (connection, body) =>
      (tokens[connection] = (JSON.parse(body) as { refreshToken: string }).refreshToken),
  });
}

/** Sends wrong passwords in a closed loop over each connection, until `stop`. */
export function floodPasswords(
  server: ServerProcess,
  tenant: TestTenant,
  { connections }: { connections: number },
): { stop(): Promise<{ answered: number; refused: number }> } {
  let isOver = false;
  const counts = { answered: 0, refused: 0 };
  const flood = Array.from({ length: connections }, async (_, connection) => {
    const client = new Client(server.url, { pipelining: 1 });
    for (let guess = 0; !isOver; guess++) {
      // Each request comes from another network, so that the login throttle does not limit the flood.
      const network = `10.${connection}.${(guess >> 8) & 255}.${guess & 255}`;
      const answer = await client.request({
        method: 'POST',
        path: '/api/player-auth/email/tenant-login',
        headers: {
          'content-type': 'application/json',
          'x-game-key': tenant.gameKey,
          'x-forwarded-for': network,
        },
        body: JSON.stringify({ email: `nobody-${connection}@example.com`, password: `wrong ${guess}` }),
      });
      await answer.body.dump();
      counts[answer.statusCode === 401 ? 'answered' : 'refused']++;
    }
    await client.close();
  });
  return {
    async stop() {
      isOver = true;
      await Promise.all(flood);
      return counts;
    },
  };
}

function mock(username: string) {
  return { provider: 'Mock', token: `mock:${username}:secret` };
}
