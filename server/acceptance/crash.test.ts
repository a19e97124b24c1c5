import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { arrangeGameKey } from './arrange.ts';
import { freePort } from './free-port.ts';
import { crash, dataFolder, startServer, type ServerProcess } from './server-process.ts';

/**
 * Events that were acknowledged with 201 are on disk exactly once after any crash (docs/events.md). Clients record each
 * batch before they send it. The same holds for sign-ins, which are written in batches. Node and PostgreSQL are killed together at random times. Afterwards each acknowledged
 * event is stored once. Each unacknowledged batch is sent again, and is then stored once.
 */
const LONG = process.env['GUILDHALL_LONG_CRASH'] === 'on';
const ROUNDS = LONG ? 40 : 4;
const CLIENTS = 4;
const SIGN_IN_CLIENTS = 8;

/** Ids of sessions: those that were returned, and those with a session row and a ledger row. */
interface SignIns {
  acknowledged: string[];
  written: string[];
}

interface Batch {
  keys: string[];
  body: string;
  acknowledged: boolean;
}

test(
  `loses and duplicates no acknowledged event over ${ROUNDS} crashes`,
  { timeout: LONG ? 1_800_000 : 120_000 },
  async () => {
    const { batches, stored, signIns } = await crashRepeatedly(ROUNDS);
    const sent = batches.flatMap((batch) => batch.keys);
    assert.ok(sent.length > 1_000, `only ${sent.length} events were sent`);
    assert.deepEqual(missing(batches, stored), []);
    assert.equal(stored.length, sent.length, 'no event is stored twice, and every stored event was sent');
    assert.ok(
      signIns.acknowledged.length >= SIGN_IN_CLIENTS,
      `only ${signIns.acknowledged.length} sign-ins were acknowledged`,
    );
    const written = new Set(signIns.written);
    assert.deepEqual(
      signIns.acknowledged.filter((sessionId) => !written.has(sessionId)),
      [],
    );
    assert.equal(signIns.written.length, written.size, 'no sign-in is written twice');
  },
);

test('detects lost events if commits do not wait for the disk', { timeout: 240_000 }, async () => {
  // The positive control: with synchronous_commit off, PostgreSQL acknowledges up to 0.6 seconds of commits that a
  // crash loses.
  for (let attempt = 1; attempt <= 5; attempt++) {
    const { batches, stored } = await crashRepeatedly(
      3,
      'ALTER DATABASE guildhall SET synchronous_commit = off',
    );
    if (missing(batches, stored).length > 0) return;
  }
  assert.fail('no acknowledged event was lost, so this test cannot detect a loss');
});

function missing(batches: Batch[], stored: string[]): string[] {
  const there = new Set(stored);
  return batches.flatMap((batch) => (batch.acknowledged ? batch.keys.filter((key) => !there.has(key)) : []));
}

async function crashRepeatedly(
  rounds: number,
  sabotage?: string,
): Promise<{ batches: Batch[]; stored: string[]; signIns: SignIns }> {
  const folder = dataFolder();
  const dataDir = folder.path;
  const batches: Batch[] = [];
  const acknowledged: string[] = [];
  try {
    // All servers use one port, because the URL is the issuer of the player's token.
    const options = { dataDir, port: await freePort() };
    let server = await startServer(options);
    const gameKey = await arrangeGameKey(server.url);
    const player = await signIn(server, gameKey);
    await query(dataDir, 'UPDATE tenants SET auto_create_definitions = true');
    if (sabotage) await query(dataDir, sabotage);
    // The setting may lose events, but not the tenant and the player, which a clean stop writes to disk. The setting
    // applies to new connections.
    assert.equal(await server.end('SIGTERM'), 0);
    server = await startServer(options);

    for (let round = 0; round < rounds; round++) {
      const over = new AbortController();
      const clients = Array.from({ length: CLIENTS }, (_, client) =>
        sendBatches(server, player, batches, `${round}-${client}`, over.signal),
      );
      for (let client = 0; client < SIGN_IN_CLIENTS; client++)
        clients.push(signInRepeatedly(server, gameKey, `player-${client}`, acknowledged, over.signal));
      await sleep(400 + Math.random() * 800);
      over.abort();
      await crash(server, dataDir);
      await Promise.all(clients);
      server = await startServer(options);
    }
    if (!sabotage) await resendUnsure(server, player, batches);
    const rows = await query(dataDir, 'SELECT idempotency_key FROM player_events');
    const sessions = await query(
      dataDir,
      'SELECT ledger.session_id FROM login_ledger ledger JOIN login_sessions USING (tenant_id, session_id)',
    );
    await server.end('SIGTERM');
    return {
      batches,
      stored: rows.map((row) => row['idempotency_key'] as string),
      signIns: { acknowledged, written: sessions.map((row) => row['session_id'] as string) },
    };
  } finally {
    folder.remove();
  }
}

interface Player {
  playerId: string;
  headers: Record<string, string>;
}

async function signIn(server: ServerProcess, gameKey: string): Promise<Player> {
  const headers = { 'content-type': 'application/json', 'x-game-key': gameKey };
  const answer = await fetch(`${server.url}/api/player-auth/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ provider: 'Mock', token: 'mock:survivor:secret' }),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  const { accessToken, playerId } = (await answer.json()) as { accessToken: string; playerId: string };
  return { playerId, headers: { ...headers, authorization: `Bearer ${accessToken}` } };
}

/** Signs a player in until the server is gone. */
async function signInRepeatedly(
  server: ServerProcess,
  gameKey: string,
  username: string,
  acknowledged: string[],
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    const answer = await fetch(`${server.url}/api/player-auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-game-key': gameKey },
      body: JSON.stringify({ provider: 'Mock', token: `mock:${username}:secret` }),
    }).catch(() => undefined);
    const body = (await answer?.json().catch(() => undefined)) as { sessionId: string } | undefined;
    if (!answer || !body) return; // The connection broke.
    if (answer.status === 200) acknowledged.push(body.sessionId);
    else assert.ok(answer.status >= 500, `a sign-in was refused with ${answer.status}`);
  }
}

/** Sends batches until the server is gone. Their sizes are on both sides of the COPY threshold. */
async function sendBatches(
  server: ServerProcess,
  player: Player,
  batches: Batch[],
  name: string,
  over: AbortSignal,
): Promise<void> {
  for (let number = 0; !over.aborted; number++) {
    const size = [1, 7, 100, 1_000][number % 4]!;
    const keys = Array.from({ length: size }, (_, index) => `${name}-${number}-${index}`);
    const occurredAt = new Date().toISOString();
    const events = keys.map((idempotencyKey) => ({
      playerId: player.playerId,
      eventKey: 'survived',
      idempotencyKey,
      occurredAt,
    }));
    const batch = { keys, body: JSON.stringify({ events }), acknowledged: false };
    batches.push(batch);
    try {
      const answer = await send(server, player, batch);
      if (answer.status === 201) batch.acknowledged = true;
      else if (answer.status < 500) assert.fail(`a good batch was refused: ${await answer.text()}`);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return; // The connection broke, so the client does not know whether the batch was stored.
    }
  }
}

async function resendUnsure(server: ServerProcess, player: Player, batches: Batch[]): Promise<void> {
  for (const batch of batches.filter(({ acknowledged }) => !acknowledged)) {
    const answer = await send(server, player, batch);
    const body = (await answer.json()) as { records: unknown[]; duplicateCount: number };
    assert.ok(answer.status === 201 || answer.status === 422, `a batch sent again answers ${answer.status}`);
    assert.equal(body.records.length + body.duplicateCount, batch.keys.length);
    assert.ok(
      body.records.length === 0 || body.duplicateCount === 0,
      'a batch is stored whole or not at all',
    );
    batch.acknowledged = true;
  }
}

function send(server: ServerProcess, player: Player, batch: Batch): Promise<Response> {
  return fetch(`${server.url}/api/game/player-events`, {
    method: 'POST',
    headers: player.headers,
    body: batch.body,
  });
}

async function query(dataDir: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({
    host: join(dataDir, 'socket'),
    user: 'guildhall',
    database: 'guildhall',
  });
  await client.connect();
  try {
    return (await client.query(statement)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}
