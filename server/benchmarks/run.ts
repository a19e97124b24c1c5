import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { arrangeTenant, type TestTenant } from '../src/testing/arrange.ts';
import { arrangeUnlimitedTenant, compareProcesses } from './processes.ts';
import { runClosedLoop, type LoadResult } from './closed-loop.ts';
import { rawCopyRate } from './raw-copy.ts';
import {
  collectLookupStatistics,
  loadLiveness,
  loadLookups,
  rawLookupRate,
  seedLookupPlayers,
} from './lookups.ts';
import { floodPasswords, loadEvents, loadLogins, loadRefreshes, signInKnownPlayers } from './scenarios.ts';
import { countLoads, seedCountedEvents } from './counts.ts';
import { archiveLastMonth } from './archive.ts';
import { moveLateMonth } from './partitions.ts';
import { measureIsolationCost, type RunLoad } from './isolation.ts';
import { round, show } from './report.ts';
import { measureScale } from './scale.ts';
import { loadPlayers, seedPlayers } from './players.ts';
import { loadSessions, seedSessions } from './sessions.ts';
import { loadWalletRecords } from './wallet.ts';
import { startServerProcess, type ProcessorTime, type ServerProcess } from './server-process.ts';

/**
 * Measures the hot paths (docs/benchmarks.md). The closed-loop clients run in this process. The server and PostgreSQL run in
 * their own processes on the same machine.
 *
 * - `--seconds`: the length of each load
 * - `--rows`: the final number of rows of the growth measurement
 * - `--ledger`: the number of logins for the session measurement
 * - `--late`: the number of rows that move out of the default partition
 * - `--players`: the number of players for the player list measurement
 * - `--events`: the number of events for the measurement of counts and of the archive
 * - `--only`: the parts to run. `scale` runs alone
 * - `--processes`: compares one process with this number, and runs nothing else
 */
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    rows: { type: 'string', default: '2000000' },
    ledger: { type: 'string', default: '1000000' },
    players: { type: 'string', default: '1000000' },
    late: { type: 'string', default: '1000000' },
    events: { type: 'string', default: '2000000' },
    processes: { type: 'string', default: '1' },
    only: { type: 'string', default: 'events,logins,lookups,passwords,growth,sessions,players,wallet' },
  },
});
const seconds = Number(options.seconds);
const parts = options.only.split(',');

/**
 * Node compiles the code of a request for some 30,000 requests. Then it needs a third less processor time. A server in production has
 * had them.
 */
const WARM_UP = { connections: 16, seconds: 60, requests: 40_000 };

const hardware = `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
console.log(hardware);
if (Number(options.processes) > 1) {
  await compareProcesses(Number(options.processes), seconds);
  process.exit(0);
}
if (parts.includes('scale')) {
  await measureScale(Number(options.events), seconds);
  process.exit(0);
}

const server = await startServerProcess();
const tenant = await arrangeUnlimitedTenant(server);
console.log(`Server memory at rest: ${await server.memory()} MiB`);
try {
  if (parts.includes('events')) await measureEvents(server, tenant);
  if (parts.includes('logins')) await measureLogins(server, tenant);
  if (parts.includes('lookups')) await measureLookups(server, tenant);
  if (parts.includes('passwords')) await measurePasswordFlood(server);
  if (parts.includes('growth')) await measureGrowth(server, tenant);
  if (parts.includes('sessions')) await measureSessions(server);
  if (parts.includes('players')) await measurePlayers(server);
  if (parts.includes('wallet')) await measureWallet(server, tenant);
  if (parts.includes('isolation')) await measureIsolation(server, tenant);
  if (parts.includes('counts')) await measureCounts(server);
  if (parts.includes('archive')) await measureArchive(server);
  if (parts.includes('partitions')) await measurePartitions(server, tenant);
} finally {
  await server.stop();
}

async function measureEvents(server: ServerProcess, tenant: TestTenant): Promise<void> {
  const raw = await rawCopyRate(server.databaseUrl);
  console.log('\nMatch events, one a request');
  await loadEvents(server, tenant, { ...WARM_UP, batch: 1 });
  for (const connections of [1, 16, 64]) {
    const bare = await measureBare(server, connections);
    await compare(server, bare, 'one event', connections, (load) =>
      loadEvents(server, tenant, { ...load, batch: 1 }),
    );
  }
  console.log(
    `\nMatch events. The limit, raw COPY into the same table over 2 connections: ${round(raw)} rows/s`,
  );
  for (const batch of [100, 1_000, 10_000]) {
    const result = await loadEvents(server, tenant, { batch, connections: 4, seconds });
    const rate = result.perSecond * batch;
    show(
      `batches of ${batch}, 4 connections`,
      result,
      `${round(rate)} events/s, ${(rate / raw).toFixed(2)} of raw COPY`,
    );
  }
  console.log(`  server memory afterwards: ${await server.memory()} MiB`);
}

async function measureIsolation(server: ServerProcess, tenant: TestTenant): Promise<void> {
  console.log('\nRow-level security: processor time of PostgreSQL per request');
  await signInKnownPlayers(server, tenant);
  const playerIds = await seedLookupPlayers(server.owner, tenant, 10_000);
  await collectLookupStatistics(server.owner);
  const at = { connections: 8 };
  const loads: [label: string, run: RunLoad][] = [
    ['one event', (seconds, onBegin) => loadEvents(server, tenant, { ...at, seconds, onBegin, batch: 1 })],
    [
      '1,000 events',
      (seconds, onBegin) => loadEvents(server, tenant, { ...at, seconds, onBegin, batch: 1_000 }),
    ],
    [
      'sign-in of an existing player',
      (seconds, onBegin) => loadLogins(server, tenant, { ...at, seconds, onBegin, kind: 'existing' }),
    ],
    ['token refresh', (seconds, onBegin) => loadRefreshes(server, tenant, { ...at, seconds, onBegin })],
    [
      'profile look-up',
      (seconds, onBegin) => loadLookups(server, tenant, playerIds, { ...at, seconds, onBegin }),
    ],
  ];
  for (const [label, run] of loads) {
    const cost = await measureIsolationCost(server, run, Math.ceil(4 * seconds));
    const percent = (value: number) => `${((100 * value) / cost.without).toFixed(1)} %`;
    console.log(
      `  ${label}: ${cost.with.toFixed(0)} µs with, ${cost.without.toFixed(0)} µs without. Difference ${cost.difference.toFixed(1)} µs, ` +
        `${percent(cost.difference)} (95 %: ${percent(cost.least)} to ${percent(cost.most)})`,
    );
  }
}

async function measureLogins(server: ServerProcess, tenant: TestTenant): Promise<void> {
  console.log('\nSign-ins with Mock, with a device');
  // No ANALYZE: a new game has no statistics.
  await signInKnownPlayers(server, tenant);
  for (const kind of ['existing', 'new'] as const) await loadLogins(server, tenant, { ...WARM_UP, kind });
  await loadRefreshes(server, tenant, WARM_UP);
  for (const connections of [1, 16, 64]) {
    const bare = await measureBare(server, connections);
    for (const kind of ['existing', 'new'] as const)
      await compare(server, bare, `${kind} players`, connections, (load) =>
        loadLogins(server, tenant, { ...load, kind }),
      );
    await compare(server, bare, 'token refresh', connections, (load) => loadRefreshes(server, tenant, load));
  }
  console.log(`  server memory afterwards: ${await server.memory()} MiB`);
}

/** Measures requests that do nothing, beside the loads that are compared with them. */
async function measureBare(server: ServerProcess, connections: number): Promise<number> {
  const bare = (load: Load) => loadLiveness(server, load);
  return (await compare(server, undefined, 'GET /health/live', connections, bare)).perSecond;
}

interface Load {
  connections: number;
  seconds: number;
}

/** Measures a load, its ratio to the bare rate, and its processor time per request. */
async function compare(
  server: ServerProcess,
  bare: number | undefined,
  label: string,
  connections: number,
  run: (load: Load) => Promise<LoadResult>,
): Promise<LoadResult> {
  const before = await server.processorTime();
  const result = await run({ connections, seconds });
  const after = await server.processorTime();
  const each = (part: keyof ProcessorTime) =>
    Math.round((1000 * (after[part] - before[part])) / result.answered);
  const ratio = bare === undefined ? '' : `, ${(result.perSecond / bare).toFixed(3)} of bare`;
  show(
    `${label}, ${connections} connections`,
    result,
    `${round(result.perSecond)}/s${ratio}, ${each('node')} + ${each('postgres')} + ${each('client')} µs`,
  );
  return result;
}

/** Measures token refreshes during a flood of wrong passwords. Each password comparison costs 20 ms of a core. */
async function measurePasswordFlood(server: ServerProcess): Promise<void> {
  console.log('\nToken refresh, 16 connections, while 64 connections send wrong passwords');
  const tenant = await arrangeTenant(server, { providers: ['Mock', 'EmailPassword'] });
  const load = { connections: 16, seconds };
  const alone = await loadRefreshes(server, tenant, load);
  show('alone', alone);
  const flood = floodPasswords(server, tenant, { connections: 64 });
  const during = await loadRefreshes(server, tenant, load);
  const { answered, refused } = await flood.stop();
  const ratio = (during.perSecond / alone.perSecond).toFixed(2);
  show('during the flood', during, `${round(during.perSecond)}/s, ${ratio} of alone`);
  console.log(
    `  passwords compared ${round(answered / seconds)}/s, refused with 429 or 503 ${round(refused / seconds)}/s`,
  );
}

async function measureLookups(server: ServerProcess, tenant: TestTenant): Promise<void> {
  console.log('\nProfile look-ups by game key, random among 100,000 players');
  // The connections cache their plans while the tables are empty, as on the first day of a game.
  const first = await seedLookupPlayers(server.owner, tenant, 1);
  await loadLookups(server, tenant, first, { connections: 16, seconds: 1 });
  const playerIds = await seedLookupPlayers(server.owner, tenant, 100_000);
  const withoutStatistics = await loadLookups(server, tenant, playerIds, { connections: 16, seconds });
  show('a profile, no statistics, 16 connections', withoutStatistics);
  await collectLookupStatistics(server.owner);
  for (const connections of [1, 16, 64]) {
    const load = { connections, seconds };
    const raw = await rawLookupRate(server.databaseUrl, tenant, playerIds, {
      ...load,
      connections: Math.min(connections, 16),
    });
    const bare = await measureBare(server, connections);
    const { perSecond } = await compare(server, bare, 'a profile', connections, (one) =>
      loadLookups(server, tenant, playerIds, one),
    );
    console.log(`    ${(perSecond / raw).toFixed(2)} of the minimal statement’s ${round(raw)}/s`);
  }
  console.log(`  server memory afterwards: ${await server.memory()} MiB`);
}

async function measureGrowth(server: ServerProcess, tenant: TestTenant): Promise<void> {
  const target = Number(options.rows);
  const step = Math.min(1_000_000, target);
  console.log(
    `\nInsert rate as match_events grows to ${round(target)} rows, batches of 1,000, 4 connections`,
  );
  for (let rows = 0; rows < target; rows += step) {
    const result = await loadEvents(server, tenant, {
      batch: 1_000,
      connections: 4,
      seconds: 600,
      requests: step / 1_000,
    });
    show(
      `${round(rows)} to ${round(rows + step)} rows`,
      result,
      `${round(result.perSecond * 1_000)} events/s, memory ${await server.memory()} MiB`,
    );
  }
}

async function measureSessions(server: ServerProcess): Promise<void> {
  const logins = Number(options.ledger);
  console.log(`\nSession history and analytics, from a ledger of ${round(logins)} logins over a year`);
  const seeded = await seedSessions(server, logins);
  console.log(
    `  seeded in ${round(seeded.seconds.insert)} s, rolled up in ${round(seeded.seconds.rollUp)} s`,
  );
  await loadSessions(server, seeded, { connections: 4, seconds }, show);
  console.log(`  server memory afterwards: ${await server.memory()} MiB`);
}

async function measurePlayers(server: ServerProcess): Promise<void> {
  const count = Number(options.players);
  console.log(`\nPlayer list of a tenant with ${round(count)} players, one request at a time`);
  const seeded = await seedPlayers(server, count);
  await loadPlayers(server, seeded, { connections: 1, seconds: Math.min(seconds, 2) }, show);
  console.log(`  server memory afterwards: ${await server.memory()} MiB`);
}

async function measureWallet(server: ServerProcess, tenant: TestTenant): Promise<void> {
  console.log('\nRecords in the wallet ledger of one tenant');
  for (const connections of [1, 16, 64])
    show(`${connections} connections`, await loadWalletRecords(server, tenant, { connections, seconds }));
  console.log(`  server memory afterwards: ${await server.memory()} MiB`);
}

async function measureCounts(server: ServerProcess): Promise<void> {
  const events = Number(options.events);
  console.log(`\nCounts of events, from ${round(events)} events of 30 days, one request at a time`);
  const seeded = await seedCountedEvents(server, events);
  const { insert, rebuild } = seeded.seconds;
  const { rows, bytes } = seeded.rollups;
  console.log(
    `  seeded in ${round(insert)} s, rolled up in ${rebuild.toFixed(1)} s: ${round(rows)} roll-ups, ${round(bytes / 2 ** 20)} MiB`,
  );
  for (const [label, next] of countLoads(seeded.tenant))
    show(label, await runClosedLoop({ connections: 1, seconds, url: server.url, next }));
}

async function measureArchive(server: ServerProcess): Promise<void> {
  const events = Number(options.events);
  console.log(`\nThe archive of a month with ${round(events)} events, one request at a time`);
  const archived = await archiveLastMonth(server, events, { seconds }, show);
  const perEvent = (bytes: number) => `${(bytes / archived.events).toFixed(1)} bytes an event`;
  console.log(`  archived ${round(archived.events)} events in ${archived.seconds.toFixed(1)} s`);
  console.log(
    `  PostgreSQL: ${perEvent(archived.bytes.postgres)}. Files of queries: ${perEvent(archived.bytes.queries)}. All files: ${perEvent(archived.bytes.all)}`,
  );
}

async function measurePartitions(server: ServerProcess, tenant: TestTenant): Promise<void> {
  const rows = Number(options.late);
  console.log(`\nThe partition of a month is made late, with ${round(rows)} rows to move`);
  const { seconds, load } = await moveLateMonth(server, tenant, rows);
  show(
    'single events meanwhile, 1 connection',
    load,
    `${round(load.perSecond)}/s, longest ${round(load.longest)} ms`,
  );
  console.log(`  moved in ${seconds.toFixed(1)} s`);
}
