import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { arrangeTenant } from './arrange.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { call, type Answer, type RequestParts } from './http.ts';
import { exitOf, startServer, type ServerProcess } from './server-process.ts';
import { createStorage } from './storage.ts';

/**
 * Billed units equal the stored writes after any crash. Players sign in and send events, and the worker aggregates
 * usage, while Node and PostgreSQL, or all nodes of the cluster of TEST_CITUS_URL, are killed together at random times.
 */
const LONG = process.env['GUILDHALL_LONG_CRASH'] === 'on';
const ROUNDS = LONG ? 20 : 3;
const CLIENTS = 4;

test(
  `bills exactly the accepted writes over ${ROUNDS} crashes`,
  { timeout: LONG ? 900_000 : 600_000 },
  async () => {
    const storage = await createStorage();
    const { nodes } = storage;
    const query = async (statement: string) => (await storage.query(statement)) as Record<string, number>[];
    try {
      const options = { ...storage.options, port: await freePort() };
      let server = await startServer(options);
      const { gameKey } = await arrangeTenant(server.url);
      await query('UPDATE tenants SET auto_create_definitions = true');
      const books = { acknowledged: 0 };
      const billed = async () =>
        (
          await query(
            `SELECT (SELECT coalesce(sum(units), 0) FROM usage_totals)::int AS folded,
                    (SELECT coalesce(sum(units), 0) FROM usage_entries)::int AS waiting`,
          )
        )[0]!;
      for (let round = 0; round < ROUNDS; round++) {
        const over = new AbortController();
        const clients = Array.from({ length: CLIENTS }, (_, client) =>
          play(server, gameKey, `${round}-${client}`, books, over.signal),
        );
        // On a busy machine, writes are slow at first.
        await eventually(() => books.acknowledged > 400 * (round + 1));
        // Otherwise a busy machine may aggregate none over all rounds.
        if (round === 0) await eventually(async () => (await billed())['folded']! > 0);
        // Long enough that the worker aggregates usage in some rounds, and is killed during an aggregation in others.
        await sleep(1_000 + Math.random() * 2_500);
        over.abort();
        server.child.kill('SIGKILL');
        storage.kill(nodes);
        await exitOf(server.child);
        await storage.restart(nodes, { isServerRunning: false });
        await Promise.all(clients);
        server = await startServer(options);
      }
      await storage.settle();
      const [stored] = await query(
        `SELECT ((SELECT count(*) FROM player_events) + (SELECT count(*) FROM login_ledger))::int AS units`,
      );
      const { folded, waiting } = await billed();
      assert.equal(folded! + waiting!, stored!['units']);
      assert.ok(folded! > 0, 'some usage was aggregated');
      assert.ok(books.acknowledged > 1_000, `only ${books.acknowledged} units were acknowledged`);
      assert.ok(stored!['units']! >= books.acknowledged, 'acknowledged writes are stored');
      assert.equal(await server.end('SIGTERM'), 0);
    } finally {
      await storage.remove();
    }
  },
);

/** Signs in and sends batches on both sides of the COPY threshold, until the server is gone. */
async function play(
  server: ServerProcess,
  gameKey: string,
  name: string,
  books: { acknowledged: number },
  over: AbortSignal,
): Promise<void> {
  const send = async (path: string, parts: RequestParts): Promise<Answer['body']> => {
    const { status, body } = await call('POST', server.url + path, { ...parts, gameKey });
    if (status >= 400 && status < 500) assert.fail(JSON.stringify(body));
    if (status >= 500) throw new Error(JSON.stringify(body));
    return body;
  };
  try {
    for (let number = 0; !over.aborted; number++) {
      const body = { provider: 'Mock', token: `mock:player-${name}:secret` };
      const { accessToken, playerId } = await send('/api/player-auth/login', { body });
      books.acknowledged++;
      for (const size of [1, 7, 100, 1_000]) {
        const events = Array.from({ length: size }, (_, index) => ({
          playerId,
          eventKey: 'survived',
          idempotencyKey: `${name}-${number}-${size}-${index}`,
          occurredAt: new Date().toISOString(),
        }));
        await send('/api/game/player-events', { bearer: accessToken, body: { events } });
        books.acknowledged += size;
      }
    }
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    // The connection broke, so the client does not know whether the last write was stored.
  }
}
