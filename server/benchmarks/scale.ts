import { randomUUID } from 'node:crypto';
import { eventually } from '../acceptance/eventually.ts';
import { exitOf, spawnCommand } from '../acceptance/server-process.ts';
import { firstOfMonth } from '../src/database/partitions/partitioned-tables.ts';
import { createPartitions } from '../src/database/partitions/create-partitions.ts';
import { httpClient } from '../src/testing/http-client.ts';
import type { TestTenant } from '../src/testing/arrange.ts';
import { TEST_MASTER_KEY } from '../src/testing/test-vault.ts';
import { runClosedLoop, type LoadRequest } from './closed-loop.ts';
import { countLoads, DAY } from './counts.ts';
import { arrangeUnlimitedTenant } from './processes.ts';
import { round, show } from './report.ts';
import { memoryOf, startServerProcess, type ServerProcess } from './server-process.ts';

const MONTHS = 10;
const PLAYERS = 1_000;
const DEFINITIONS = 40;
const BATCH = 1_000;
const CONNECTIONS = 4;

/**
 * Sends events of ten months over HTTP, archives all months but the current one, and verifies the archive. The same queries are
 * sent after the first month, before the archive, and after it. Prints the rate, the processor time of an event, and the memory of
 * each step.
 */
export async function measureScale(events: number, seconds: number): Promise<void> {
  const server = await startServerProcess({ worker: true });
  try {
    const tenant = await arrangeUnlimitedTenant(server);
    await createMonths(server);
    const eventsOfMonth = events / MONTHS;
    for (let month = 0; month < MONTHS; month++) {
      await ingestMonth(server, tenant, month, eventsOfMonth);
      await untilRolledUp(server);
      if (month === 0 || month === MONTHS - 1) await ask(server, tenant, seconds);
    }
    await runCommand(server, 'archive create');
    await server.owner.query('VACUUM');
    await ask(server, tenant, seconds);
    await runCommand(server, 'archive verify');
    await showSize(server);
  } finally {
    await server.stop();
  }
}

/** Creates the partitions that a server has after ten months. A new one keeps all months before its first in one partition. */
async function createMonths({ owner }: ServerProcess): Promise<void> {
  const { rows } = await owner.query<{ names: string }>(
    `SELECT string_agg(inhrelid::regclass::text, ', ') AS names FROM pg_inherits
     WHERE inhparent IN ('match_events'::regclass, 'player_events'::regclass) AND inhrelid::regclass::text NOT LIKE '%_default'`,
  );
  await owner.query(`DROP TABLE ${rows[0]!.names}`);
  await createPartitions(owner, {
    today: new Date(firstOfMonth(new Date(), 1 - MONTHS)),
    monthsAhead: MONTHS + 2,
  });
}

/** Sends the events of one month in their order of time, and prints what one event costs. */
async function ingestMonth(
  server: ServerProcess,
  tenant: TestTenant,
  month: number,
  events: number,
): Promise<void> {
  const from = Date.parse(firstOfMonth(new Date(), month - MONTHS + 1));
  const to = month === MONTHS - 1 ? Date.now() : Date.parse(firstOfMonth(new Date(), month - MONTHS + 2));
  const players = await signIn(server, tenant);
  let sent = 0;
  const next = (): LoadRequest => {
    const player = players[(sent / BATCH) % PLAYERS]!;
    let body = '{"events":[';
    for (let index = 0; index < BATCH; index++, sent++) {
      // The square makes some definitions more frequent than others.
      const definition = Math.floor(DEFINITIONS * Math.random() ** 2);
      const value = sent % 3 === 0 ? '' : `,"value":${sent % 1_000}`;
      body +=
        `${index ? ',' : ''}{"playerId":"${player.playerId}","eventKey":"key-${definition % 10}","eventValue":"value-${definition}",` +
        `"idempotencyKey":"${month}-${sent}","occurredAt":"${new Date(from + (sent / events) * (to - from)).toISOString()}"${value}}`;
    }
    return {
      path: '/api/game/player-events',
      headers: { 'x-game-key': tenant.gameKey, authorization: `Bearer ${player.accessToken}` },
      body: `${body}]}`,
    };
  };
  const before = await server.processorTime();
  const result = await runClosedLoop({
    url: server.url,
    connections: CONNECTIONS,
    seconds: 7_200,
    requests: events / BATCH,
    next,
  });
  const after = await server.processorTime();
  const each = (part: 'node' | 'postgres') => ((1000 * (after[part] - before[part])) / events).toFixed(1);
  show(
    `${round(month * events)} to ${round((month + 1) * events)} events`,
    result,
    `${round(result.perSecond * BATCH)} events/s, ${each('node')} + ${each('postgres')} µs an event, memory ${await server.memory()} MiB`,
  );
}

async function signIn(server: ServerProcess, tenant: TestTenant) {
  const http = httpClient(server.url);
  const players: { playerId: string; accessToken: string }[] = [];
  for (let index = 0; index < PLAYERS; index++) {
    const { body } = await http.post(
      '/api/player-auth/login',
      { provider: 'Mock', token: `mock:scale-${index}:secret` },
      tenant,
    );
    players.push({ playerId: body.playerId, accessToken: body.accessToken });
  }
  return players;
}

/** Waits until the worker has moved all deltas into the roll-ups, and prints how long this took. */
async function untilRolledUp({ owner }: ServerProcess): Promise<void> {
  const started = performance.now();
  await eventually(
    async () => (await owner.query('SELECT FROM event_rollup_deltas LIMIT 1')).rows.length === 0,
    'the roll-ups are complete',
  );
  console.log(`    the roll-ups were complete ${((performance.now() - started) / 1000).toFixed(0)} s later`);
}

/** Measures the counts of the console, queries of all events, and pages of the list of events. */
async function ask(server: ServerProcess, tenant: TestTenant, seconds: number): Promise<void> {
  await showSize(server);
  for (const [label, next] of countLoads(tenant))
    show(label, await runClosedLoop({ url: server.url, connections: 1, seconds, requests: 1_000, next }));
  const all = {
    scope: 'player',
    from: new Date(firstOfMonth(new Date(), 1 - MONTHS)).toISOString(),
    to: new Date().toISOString(),
  };
  const byKey = { ...all, groupBy: ['eventKey'], bucket: 'month', limit: 1_000 };
  // Roll-ups do not know values, so all events are read.
  const where = { minimumValue: Number.MIN_SAFE_INTEGER };
  for (const [label, body] of [
    ['all events by key and month, from roll-ups', byKey],
    ['all events by key and month, from the events', { ...byKey, where }],
    ['all events by player, from the events', { ...all, groupBy: ['playerId'], where, limit: 100 }],
  ] as const) {
    const next = () => ({
      path: `/api/bus_tenants/${tenant.tenantId}/queries`,
      headers: { 'x-api-key': tenant.apiKey },
      body: JSON.stringify(body),
    });
    show(label, await runClosedLoop({ url: server.url, connections: 1, seconds: 1, requests: 3, next }));
  }
  const list = { scope: 'player', limit: '200' };
  for (const [label, query] of [
    ['list, the newest 200 events', list],
    [
      'list, 200 events of the first month',
      { ...list, to: new Date(Date.parse(all.from) + 20 * DAY).toISOString() },
    ],
    ['list, the events of nobody', { ...list, playerId: randomUUID() }],
  ] as const) {
    const next = () => ({
      path: `/api/bus_tenants/${tenant.tenantId}/events?${new URLSearchParams(query)}`,
      headers: { 'x-api-key': tenant.apiKey },
    });
    show(label, await runClosedLoop({ url: server.url, connections: 1, seconds, requests: 100, next }));
  }
}

async function showSize({ owner }: ServerProcess): Promise<void> {
  const { rows } = await owner.query(
    `SELECT pg_database_size(current_database()) AS database,
            (SELECT coalesce(sum(rows), 0) FROM event_archives) AS archived`,
  );
  const { database, archived } = rows[0]!;
  console.log(
    `  database ${round(Number(database) / 2 ** 20)} MiB, ${round(Number(archived))} archived events`,
  );
}

/** Runs a command beside the server, and prints its time and the most memory that its processes had. */
async function runCommand({ dataDir }: ServerProcess, command: string): Promise<void> {
  const started = performance.now();
  const { child, output } = spawnCommand(command, { dataDir, env: { MASTER_KEY: TEST_MASTER_KEY } });
  let most = 0;
  const watch = setInterval(() => {
    memoryOf(child.pid!).then(
      (memory) => (most = Math.max(most, memory)),
      // The command has ended.
      () => {},
    );
  }, 200);
  const code = await exitOf(child);
  clearInterval(watch);
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `  ${command} ended with ${code} after ${seconds.toFixed(0)} s, at most ${round(most)} MiB: ${output().trim().split('\n').at(-1)}`,
  );
}
