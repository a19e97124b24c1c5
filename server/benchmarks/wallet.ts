import { httpClient } from '../src/testing/http-client.ts';
import type { TestTenant } from '../src/testing/arrange.ts';
import { runClosedLoop, type LoadResult } from './closed-loop.ts';
import type { ServerProcess } from './server-process.ts';

const PASSWORD = 'correct horse';

/** Adds records for players of one tenant. Each connection is a player in its own match. All entries go into one chain. */
export async function loadWalletRecords(
  server: ServerProcess,
  tenant: TestTenant,
  options: { connections: number; seconds: number },
): Promise<LoadResult> {
  const http = httpClient(server.url);
  const run = Date.now().toString(36);
  const players: { headers: Record<string, string>; matchSessionId: number }[] = [];
  // One player at a time, because the server refuses too many concurrent password hashes.
  for (let index = 0; index < options.connections; index++) {
    const playerId = `${run}-${index}`;
    const playerAddress = `0x${Buffer.from(playerId.padEnd(20)).toString('hex')}`;
    const key = { gameKey: tenant.gameKey };
    const password = { playerId, signInPassword: PASSWORD };
    await http.post('/api/BlockchainStorage/players/add/anon', { ...password, playerAddress }, key);
    const login = await http.post('/api/Auth/wallet/login/password', password, key);
    const bearer = login.body.accessToken;
    const match = await http.post(
      '/api/BlockchainStorage/match/sessions/start/singleplayer',
      { level: 'cave' },
      { bearer },
    );
    players.push({
      headers: { authorization: `Bearer ${bearer}` },
      matchSessionId: match.body.matchSessionId,
    });
  }
  let score = 0;
  return runClosedLoop({
    ...options,
    url: server.url,
    next(connection) {
      const { headers, matchSessionId } = players[connection]!;
      const record = { matchSessionId, score: score++, key: 'coin', value: 'gold', otherPlayers: [] };
      return {
        path: '/api/BlockchainStorage/records/match/add',
        headers,
        body: JSON.stringify(record),
      };
    },
  });
}
