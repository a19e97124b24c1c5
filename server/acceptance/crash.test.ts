import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { arrangeGameKey } from './arrange.ts';
import { auditHistory, type History, type Kind, type Sent, type Stored } from './audit-history.ts';
import { freePort } from './free-port.ts';
import { crash, dataFolder, startServer, type ServerProcess } from './server-process.ts';

/**
 * What was acknowledged is on disk exactly once after any crash (docs/events.md): events, sign-ins, matches and wallet-linked
 * players. Clients write down each operation before they send it. Node and PostgreSQL are killed together at random times.
 * Each batch of events without an answer is sent again, and is then stored once. An auditor compares the notes with the database.
 */
const LONG = process.env['GUILDHALL_LONG_CRASH'] === 'on';
const ROUNDS = LONG ? 40 : 4;
/** How many clients send each kind of operation. */
const CLIENTS = { event: 4, 'sign-in': 8, match: 2, 'wallet entry': 1 } as const;
type SentKind = keyof typeof CLIENTS;

test(
  `loses, duplicates and alters nothing that was acknowledged over ${ROUNDS} crashes, and bills it once`,
  { timeout: LONG ? 1_800_000 : 120_000 },
  async (t) => {
    const history = await crashRepeatedly(ROUNDS);
    const acknowledged = Map.groupBy(
      history.sent.filter(({ acknowledgedAt }) => acknowledgedAt !== undefined),
      ({ kind }) => kind,
    );
    const counts = [...acknowledged].map(([kind, sent]) => `${sent.length} × ${kind}`).join(', ');
    t.diagnostic(`acknowledged: ${counts}; billed units: ${Object.values(history.billed ?? {}).join(', ')}`);
    assert.ok((acknowledged.get('event')?.length ?? 0) > 1_000, counts);
    // A loaded machine records few wallet-linked players in a short run: each costs a password hash.
    const counted = LONG ? (Object.keys(CLIENTS) as SentKind[]) : (['event', 'sign-in'] as const);
    for (const kind of counted) assert.ok((acknowledged.get(kind)?.length ?? 0) >= CLIENTS[kind], counts);
    assert.deepEqual(auditHistory(history), []);
  },
);

test('detects lost events if commits do not wait for the disk', { timeout: 240_000 }, async () => {
  // The positive control: with synchronous_commit off, PostgreSQL acknowledges up to 0.6 seconds of commits that a
  // crash loses.
  for (let attempt = 1; attempt <= 5; attempt++) {
    const history = await crashRepeatedly(3, 'ALTER DATABASE guildhall SET synchronous_commit = off');
    if (auditHistory(history).some(({ fault }) => fault === 'lost')) return;
  }
  assert.fail('no acknowledged event was lost, so this test cannot detect a loss');
});

/** What the clients share. */
interface Scene {
  server: ServerProcess;
  tenant: string;
  gameKey: string;
  player: { playerId: string; accessToken: string };
  sent: Sent[];
  over: AbortSignal;
}

/** A request that creates rows, and what each of them must contain. */
interface Request {
  path: string;
  body: object;
  entries: { key: string; content: string }[];
}

async function crashRepeatedly(rounds: number, sabotage?: string): Promise<History> {
  const folder = dataFolder();
  const dataDir = folder.path;
  const sent: Sent[] = [];
  try {
    // All servers use one port, because the URL is the issuer of the player's token.
    const options = { dataDir, port: await freePort() };
    let server = await startServer(options);
    const gameKey = await arrangeGameKey(server.url);
    const player = await signIn(server, gameKey);
    await query(dataDir, 'UPDATE tenants SET auto_create_definitions = true');
    const [tenant] = await query(dataDir, 'SELECT id FROM tenants');
    if (sabotage) await query(dataDir, sabotage);
    // The setting may lose events, but not the tenant and the player, which a clean stop writes to disk. The setting
    // applies to new connections.
    assert.equal(await server.end('SIGTERM'), 0);
    server = await startServer(options);
    const setUp = await readBill(dataDir);

    for (let round = 0; round < rounds; round++) {
      const over = new AbortController();
      const scene = { server, tenant: tenant!['id'] as string, gameKey, player, sent, over: over.signal };
      const clients = Object.entries(CLIENTS).flatMap(([kind, count]) =>
        Array.from({ length: count }, (_, client) =>
          sendRepeatedly(scene, kind as SentKind, `${kind}-${round}-${client}`),
        ),
      );
      await sleep(400 + Math.random() * 800);
      over.abort();
      await crash(server, dataDir);
      await Promise.all(clients);
      server = await startServer(options);
      if (!sabotage) await resendEvents({ ...scene, server });
    }
    const stored = await readRows(dataDir);
    const billed = await readBill(dataDir);
    if (!sabotage) await assertCountedOnce(dataDir);
    for (const [id, units] of Object.entries(setUp)) billed[id] = (billed[id] ?? 0) - units;
    await server.end('SIGTERM');
    return { sent, stored, ...(!sabotage && { billed }) };
  } finally {
    folder.remove();
  }
}

async function signIn(server: ServerProcess, gameKey: string): Promise<Scene['player']> {
  const answer = await fetch(`${server.url}/api/player-auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-game-key': gameKey },
    body: JSON.stringify({ provider: 'Mock', token: 'mock:survivor:secret' }),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as Scene['player'];
}

/** Creates the request of a client. Batches of events are on both sides of the COPY threshold. */
function requestOf(kind: SentKind, client: string, number: number, { player }: Scene): Request {
  const key = `${client}-${number}`;
  switch (kind) {
    case 'event': {
      const occurredAt = new Date().toISOString();
      const entries = Array.from({ length: [1, 7, 100, 1_000][number % 4]! }, (_, index) => ({
        key: `${key}-${index}`,
        content: `${player.playerId} survived ${index} at ${occurredAt}`,
      }));
      const events = entries.map(({ key: idempotencyKey }, value) => ({
        playerId: player.playerId,
        eventKey: 'survived',
        value,
        idempotencyKey,
        occurredAt,
      }));
      return { path: '/api/game/player-events', body: { events }, entries };
    }
    case 'sign-in':
      return {
        path: '/api/player-auth/login',
        body: {
          provider: 'Mock',
          token: `mock:${client.replace(/-\d+-/, '-')}:secret`,
          clientInfo: { platform: 'PC_Windows', clientBuild: key },
        },
        entries: [{ key, content: 'PC_Windows' }],
      };
    case 'match':
      return {
        path: '/api/game/matches',
        body: { players: [{ playerId: player.playerId }], mode: key },
        entries: [{ key, content: player.playerId }],
      };
    case 'wallet entry': {
      const playerAddress = `0x${Buffer.from(key).toString('hex').slice(-40).padStart(40, '1')}`;
      return {
        path: '/api/BlockchainStorage/players/add/anon',
        body: { playerId: key, playerAddress, signInPassword: 'correct horse' },
        entries: [{ key, content: playerAddress.toLowerCase() }],
      };
    }
  }
}

/** Sends operations until the server is gone. */
async function sendRepeatedly(scene: Scene, kind: SentKind, client: string): Promise<void> {
  const { server, sent, tenant } = scene;
  for (let batch = 0; !scene.over.aborted; batch++) {
    const request = requestOf(kind, client, batch, scene);
    const notes = request.entries.map((entry): Sent => ({
      kind,
      tenant,
      client,
      batch,
      acknowledgedAt: undefined,
      units: 1,
      ...entry,
    }));
    sent.push(...notes);
    const answer = await post(server, scene, request.path, request.body).catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    // The connection broke, so the client does not know whether it was stored.
    if (!answer || text === undefined) return;
    if (answer.ok) for (const note of notes) note.acknowledgedAt = Date.now();
    else assert.ok(answer.status >= 500, `${kind} was refused with ${answer.status}`);
  }
}

/** Sends each batch of events without an answer again. Now it is stored, or it was stored before. */
async function resendEvents(scene: Scene): Promise<void> {
  const unsure = scene.sent.filter(
    ({ kind, acknowledgedAt }) => kind === 'event' && acknowledgedAt === undefined,
  );
  for (const notes of Map.groupBy(unsure, ({ client, batch }) => `${client}-${batch}`).values()) {
    const events = notes.map(({ key, content }) => {
      const [, playerId, value, occurredAt] = /^(\S+) survived (\d+) at (\S+)$/.exec(content)!;
      return { playerId, eventKey: 'survived', value: Number(value), idempotencyKey: key, occurredAt };
    });
    const answer = await post(scene.server, scene, '/api/game/player-events', { events });
    const body = (await answer.json()) as { records: unknown[]; duplicateCount: number };
    assert.ok(answer.status === 201 || answer.status === 422, `a batch sent again answers ${answer.status}`);
    assert.equal(body.records.length + body.duplicateCount, notes.length);
    for (const note of notes)
      Object.assign(note, { acknowledgedAt: Date.now(), client: `${note.client} again` });
  }
}

function post(
  server: ServerProcess,
  { gameKey, player }: Scene,
  path: string,
  body: object,
): Promise<Response> {
  const needsPlayer = path === '/api/game/player-events';
  return fetch(server.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-game-key': gameKey,
      ...(needsPlayer && { authorization: `Bearer ${player.accessToken}` }),
    },
    body: JSON.stringify(body),
  });
}

/** The rows that the operations created. A row that lacks its counterpart in another table is not found. */
const ROWS: Record<SentKind, string> = {
  event: `
    SELECT idempotency_key AS key, tenant_id AS tenant, created_at_gl AS at,
           player_id || ' survived ' || value || ' at ' || to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS content
    FROM player_events`,
  'sign-in': `
    SELECT client_build AS key, tenant_id AS tenant, received_at_db AS at, ledger.platform AS content
    FROM login_ledger ledger JOIN login_sessions USING (tenant_id, session_id) WHERE client_build IS NOT NULL`,
  match: `
    SELECT mode AS key, tenant_id AS tenant, match.started_at AS at, player_id::text AS content
    FROM match_sessions match JOIN match_players player USING (tenant_id) WHERE player.match_session_id = match.id`,
  'wallet entry': `
    SELECT player_id AS key, tenant_id AS tenant, recorded_at AS at, lower(address) AS content
    FROM wallet_players JOIN wallet_ledger_entries USING (tenant_id, player_index)`,
};

async function readRows(dataDir: string): Promise<Stored[]> {
  const stored: Stored[] = [];
  for (const [kind, statement] of Object.entries(ROWS))
    for (const { at, ...row } of await query(dataDir, statement))
      stored.push({
        ...(row as Omit<Stored, 'kind' | 'storedAt'>),
        kind: kind as Kind,
        storedAt: (at as Date).getTime(),
      });
  return stored;
}

/** The units of each tenant, whether or not the worker has added them up. */
async function readBill(dataDir: string): Promise<Record<string, number>> {
  const rows = await query(
    dataDir,
    `SELECT tenant_id, sum(units)::int AS units
     FROM (SELECT tenant_id, units FROM usage_entries UNION ALL SELECT tenant_id, units FROM usage_totals) entry
     GROUP BY tenant_id`,
  );
  return Object.fromEntries(rows.map(({ tenant_id, units }) => [tenant_id, units]));
}

/** Compares the events with their roll-ups, and the deltas that the worker has not moved. */
async function assertCountedOnce(dataDir: string): Promise<void> {
  const [events] = await query(
    dataDir,
    `SELECT (SELECT count(*) FROM player_events)::int AS stored,
            (SELECT coalesce(sum(events), 0) FROM (
               SELECT events FROM event_rollups WHERE span = 'minute' UNION ALL SELECT events FROM event_rollup_deltas) part)::int AS counted`,
  );
  assert.equal(events!['counted'], events!['stored'], 'each stored event is counted once');
  assert.notEqual(events!['stored'], 0);
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
