import assert from 'node:assert/strict';
import { after, describe, test, type TestContext } from 'node:test';
import { eventually } from '../acceptance/eventually.ts';
import { createRandom } from '../src/simulation/random.ts';
import { arrangeTenant, type TestTenant } from '../src/testing/arrange.ts';
import { growthByThirds, median, quantile, slopeOf, type Sample } from '../src/testing/statistics.ts';
import { closedLoop, openLoop } from './load/arrivals.ts';
import { createGame, type Game, type Kind } from './load/game.ts';
import { startNoisyTenants } from './load/noisy-tenants.ts';
import { startProductionServer } from './load/production-server.ts';
import { openStrictApi, type StrictApi } from './load/strict-api.ts';

/**
 * A server under load for a long time, and a quiet tenant beside ten noisy ones (docs/reliability.md). `npm run test:load` also asserts
 * latencies and the growth of memory. They depend on the machine, so the short form in `npm test` does not.
 */
const MINUTES = Number(process.env['GUILDHALL_LOAD_MINUTES'] || 0);
const IS_LONG = MINUTES > 0;

/** The length of each part in seconds. The rest are rates a second, and numbers of players. */
const RUN = IS_LONG
  ? { limit: 20, load: MINUTES * 60, share: 0.7, most: Infinity, online: 2_000, slices: 30 }
  : { limit: 1, load: 4, share: 0.5, most: 200, online: 100, slices: 3 };
/** Half as long as the load. In each round, a slice of each kind of company. */
const NOISE = IS_LONG
  ? { rounds: Math.ceil(MINUTES * 1.5), slice: 7, perSecond: 50, online: 200, batch: 10_000, signIns: 8 }
  : { rounds: 1, slice: 1.5, perSecond: 20, online: 20, batch: 500, signIns: 1 };
/** The load of the noisy tenants: as much as the server accepts, or the same share of it as that of the load test. */
const COMPANY = { 'beside all noise': 1, alone: 0, 'beside 70 % of the noise': 0.7 };
type Company = keyof typeof COMPANY;

/** How much longer than its load a test may take. Noise without an end would slow down the other tests of `npm test`. */
const MORE_SECONDS = IS_LONG ? 900 : 240;

/** The limit is measured with as many clients as the server works on at a time, and as many who wait. */
const LIMIT_WIDTH = 32;
const NOISY_TENANTS = 10;
const CONTROLS_PER_SECOND = 20;

const MIB = 1024 * 1024;
/** No object of V8 and no allocation of PostgreSQL is smaller. A server that forgets none per operation grows less. */
const LEAST_OBJECT_BYTES = 24;
/** In a shorter time memory moves more than a leak of the least size. */
const LEAST_JUDGED_SECONDS = 600;
/** `npm start` limits the heap to 768 MiB. Buffers are outside of it. */
const MAX_SERVER_BYTES = 1024 * MIB;
/** Each of about 30 processes of PostgreSQL may cache plans and sort. */
const MAX_POSTGRES_BYTES = 1024 * MIB;
/**
 * Between the middles of the first and the last third the stored data become five times as many. Work that grew with the data would
 * take five times as long, work that grew with their square root 2.2 times. The depth of an index grows by a tenth.
 */
const MAX_GROWTH = 1.5;
const MAX_NOISE_RATIO = 2;

const server = await startProductionServer();
after(() => server.stop());
const firstPid = server.pid();
const restFiles = server.openFiles();

/** Creates a tenant in a workspace of its own. Its plan has the limits of a new workspace, or none. */
async function arrangeGame({ isLimited }: { isLimited: boolean }): Promise<TestTenant> {
  const tenant = await arrangeTenant(server);
  await server.owner.query('UPDATE tenants SET auto_create_definitions = true WHERE id = $1', [
    tenant.tenantId,
  ]);
  await server.owner.query(
    'INSERT INTO provider_settings (tenant_id, provider, enabled) VALUES ($1, $2, true)',
    [tenant.tenantId, 'EvmWallet'],
  );
  if (!isLimited)
    await server.owner.query(
      'UPDATE workspaces SET requests_per_minute = 2147483647, requests_per_hour = 2147483647 WHERE id = $1',
      [tenant.workspaceId],
    );
  return tenant;
}

/** The latencies in milliseconds of one slice of a run. */
interface Slice {
  all: number[];
  byKind: Map<Kind, number[]>;
  control: number[];
}

const newSlice = (): Slice => ({ all: [], byKind: new Map(), control: [] });

/** Plays and asks for `/health/live` at the same time, which needs neither the database nor much of the server. */
async function playFor(
  game: Game,
  seed: string,
  load: { perSecond: number; seconds: number; sliceAt(time: number): Slice },
) {
  const { perSecond, seconds, sliceAt } = load;
  await Promise.all([
    openLoop({ perSecond, seconds, random: createRandom(`${seed} arrivals`) }, async (plannedAt) => {
      const kind = await game.play();
      const slice = sliceAt(plannedAt);
      const latency = performance.now() - plannedAt;
      slice.all.push(latency);
      const ofKind = slice.byKind.get(kind);
      if (ofKind) ofKind.push(latency);
      else slice.byKind.set(kind, [latency]);
    }),
    openLoop(
      { perSecond: CONTROLS_PER_SECOND, seconds, random: createRandom(`${seed} control`) },
      async (plannedAt) => {
        const answer = await fetch(`${server.url}/health/live`);
        await answer.body?.cancel();
        assert.equal(answer.status, 200);
        sliceAt(plannedAt).control.push(performance.now() - plannedAt);
      },
    ),
  ]);
}

/** Compares the acknowledged events with the stored ones. */
async function assertStoredOnce(
  tenantId: string,
  acknowledged: { count: number; idSum?: bigint },
): Promise<void> {
  const { rows } = await server.owner.query<Record<'stored' | 'keys' | 'ids', string>>(
    `SELECT count(*) AS stored, count(DISTINCT idempotency_key) AS keys,
            coalesce(sum(('x' || right(id::text, 12))::bit(48)::bigint), 0) AS ids
     FROM (SELECT id, idempotency_key FROM match_events WHERE tenant_id = $1
           UNION ALL SELECT id, idempotency_key FROM player_events WHERE tenant_id = $1) event`,
    [tenantId],
  );
  const { stored, keys, ids } = rows[0]!;
  assert.equal(Number(stored), acknowledged.count, 'each acknowledged event is stored, and no other');
  assert.equal(Number(keys), acknowledged.count, 'no event is stored twice');
  if (acknowledged.idSum !== undefined) assert.equal(BigInt(ids), acknowledged.idSum);
}

/** Waits until no connection is in use, no transaction is open, and no request waits. */
async function assertAtRest(): Promise<void> {
  const valuesOf = (metrics: Map<string, number>, name: RegExp): number =>
    [...metrics].filter(([key]) => name.test(key)).reduce((sum, [, value]) => sum + value, 0);
  let poolSize = 0;
  await eventually(async () => {
    const metrics = await server.metrics();
    poolSize = valuesOf(metrics, /^guildhall_database_connections_max/);
    assert.ok(poolSize > 0);
    const { rows } = await server.owner.query(
      `SELECT count(*)::int AS open FROM pg_stat_activity
       WHERE usename <> 'postgres' AND backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()`,
    );
    return (
      rows[0].open === 0 &&
      valuesOf(metrics, /^guildhall_database_connections\{.*pool="(request|heavy)".*state="used"/) === 0 &&
      valuesOf(metrics, /^guildhall_database_waiting_requests/) === 0
    );
  }, 'no connection to PostgreSQL is in use');
  // Idle connections of the pools may be kept.
  await eventually(
    () => server.openFiles() <= restFiles + poolSize,
    'the connections of the clients are closed',
  );
}

function assertHealthy(api: StrictApi): void {
  assert.deepEqual(api.faults, []);
  assert.equal(server.pid(), firstPid, `the server did not restart: ${server.output()}`);
  assert.doesNotMatch(server.output(), /"level":[56]0/, 'the server logged no error');
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const mib = (bytes: number): string => `${(bytes / MIB).toFixed(0)} MiB`;
const p99 = (values: readonly number[]): number => quantile(values, 0.99);

/** The caches whose entries are many, with their most entries. Each miss adds one, until the cache is full. */
const CACHES = { tokens: 50_000, rosters: 100_000 };
const METRICS_EVERY_MS = 2000;

interface Memory {
  /** Private memory of all processes: what they use, and what they keep beside it. */
  server: Sample[];
  postgres: Sample[];
  /** What the server still referred to after each garbage collection of all its memory. */
  live: Sample[];
  /** When the caches of the server were full, in seconds. Infinity if they are not. A cache that fills is no leak. */
  fullAt: number;
}

/** Samples the memory until it is stopped. */
function watchMemory(): { stop(): Memory } {
  const began = performance.now();
  const now = (): number => (performance.now() - began) / 1000;
  const memory: Memory = { server: [], postgres: [], live: [], fullAt: Infinity };
  const take = (): void => {
    const values = server.memory();
    for (const owner of ['server', 'postgres'] as const)
      memory[owner].push({ at: now(), value: values[owner] });
  };
  let collections = 0;
  const takeLive = async (): Promise<void> => {
    const metrics = await server.metrics();
    if (areCachesFull(metrics)) memory.fullAt = Math.min(memory.fullAt, now());
    const completed = metrics.get('nodejs_gc_duration_seconds_count{kind="major"}') ?? 0;
    if (completed > collections) memory.live.push({ at: now(), value: liveMemory(metrics) });
    collections = completed;
  };
  take();
  const timers = [setInterval(take, 1000), setInterval(() => void takeLive(), METRICS_EVERY_MS)];
  return {
    stop() {
      timers.forEach(clearInterval);
      take();
      return memory;
    },
  };
}

const areCachesFull = (metrics: Map<string, number>): boolean =>
  Object.entries(CACHES).every(
    ([cache, most]) => metrics.get(`guildhall_cache_requests_total{cache="${cache}",result="miss"}`)! >= most,
  );

/** The heap without its new objects, most of which no request needs any more, and the buffers outside of it. */
function liveMemory(metrics: Map<string, number>): number {
  const spaces = [...metrics].filter(
    ([name]) => name.startsWith('nodejs_heap_space_size_used_bytes') && !name.includes('"new'),
  );
  return spaces.reduce((sum, [, bytes]) => sum + bytes, metrics.get('nodejs_external_memory_bytes')!);
}

describe('a server under load', { timeout: 7_200_000 }, () => {
  test(
    `keeps its memory, its latency and every event for ${RUN.load} s`,
    { timeout: (RUN.load + MORE_SECONDS) * 1000 },
    async (t) => {
      const tenant = await arrangeGame({ isLimited: false });
      const api = openStrictApi(server.url, tenant.gameKey);
      const seed = 'load';
      const game = createGame(api, createRandom(seed), seed, RUN.online);
      await game.begin();
      const limit = await closedLoop(
        { width: LIMIT_WIDTH, seconds: RUN.limit },
        async () => void (await game.play()),
      );
      const perSecond = Math.min(limit * RUN.share, RUN.most);
      t.diagnostic(
        `limit: ${limit.toFixed(0)} operations/s. Load: ${perSecond.toFixed(0)}/s for ${RUN.load} s`,
      );

      const slices = Array.from({ length: RUN.slices }, newSlice);
      const began = performance.now();
      const sliceAt = (time: number): Slice => {
        const part = (time - began) / 1000 / RUN.load;
        return slices[Math.min(RUN.slices - 1, Math.floor(part * RUN.slices))]!;
      };
      const memory = watchMemory();
      await playFor(game, seed, { perSecond, seconds: RUN.load, sliceAt });
      const samples = memory.stop();
      await api.close();

      assertHealthy(api);
      assert.ok(api.acknowledged.count > 0);
      await assertStoredOnce(tenant.tenantId, api.acknowledged);
      await assertAtRest();
      t.diagnostic(
        `${slices.reduce((sum, { all }) => sum + all.length, 0)} operations: ${api.acknowledged.count} events, ${game.tally.signIns} sign-ins, ${game.tally.matches} matches. 0 errors`,
      );
      assertLatency(t, slices);
      assertMemory(t, samples, perSecond);
    },
  );
});

function assertLatency(t: TestContext, slices: Slice[]): void {
  const kinds = Map.groupBy(
    slices.flatMap(({ byKind }) => [...byKind]),
    ([kind]) => kind,
  );
  for (const [kind, lists] of kinds) {
    const all = lists.flatMap(([, latencies]) => latencies);
    t.diagnostic(`${kind}: ${all.length}, p50 ${ms(median(all))}, p99 ${ms(p99(all))}`);
  }
  const report = (name: string, values: number[]): number => {
    const growth = growthByThirds(values);
    t.diagnostic(
      `p99 of ${name}: last third ÷ first third ${growth.toFixed(2)}; of ${values.length} slices ${values.map((value) => value.toFixed(0)).join(' ')} ms`,
    );
    return growth;
  };
  const growth = report(
    'operations',
    slices.map(({ all }) => p99(all)),
  );
  const noise = report(
    '/health/live',
    slices.map(({ control }) => p99(control)),
  );
  if (!IS_LONG) return;
  const most = MAX_GROWTH * Math.max(1, noise);
  assert.ok(
    growth <= most,
    `p99 grew to ${growth.toFixed(2)} of the first third, more than ${most.toFixed(2)}`,
  );
}

function assertMemory(t: TestContext, memory: Memory, perSecond: number): void {
  t.diagnostic(
    Number.isFinite(memory.fullAt)
      ? `the caches of the server were full after ${memory.fullAt.toFixed(0)} s`
      : 'the caches of the server are not full',
  );
  const bounds = { server: MAX_SERVER_BYTES, postgres: MAX_POSTGRES_BYTES, live: MAX_SERVER_BYTES };
  for (const [owner, bound] of Object.entries(bounds) as [keyof typeof bounds, number][]) {
    const all = memory[owner];
    for (const { value } of all) assert.ok(value > 0 && value < bound, `${owner} has ${mib(value)}`);
    if (all.length === 0) continue;
    t.diagnostic(
      `memory of ${owner}: ${mib(all[0]!.value)} at first, ${mib(all.at(-1)!.value)} at last, at most ${mib(Math.max(...all.map(({ value }) => value)))}`,
    );
    const from = owner === 'postgres' ? RUN.load / 3 : Math.max(RUN.load / 3, memory.fullAt);
    if (RUN.load - from < LEAST_JUDGED_SECONDS) {
      t.diagnostic(`the growth of ${owner} is not judged: the run is too short`);
      continue;
    }
    const judged = all.filter(({ at }) => at >= from);
    const { estimate, least, most } = slopeOf(judged);
    const perOperation = (bytesPerSecond: number): string => (bytesPerSecond / perSecond).toFixed(1);
    t.diagnostic(
      `growth of ${owner} in the last ${(RUN.load - from).toFixed(0)} s: ${perOperation(estimate)} bytes an operation ` +
        `(95 %: ${perOperation(least)} to ${perOperation(most)}, of ${judged.length} values)`,
    );
    // V8 keeps more memory beside the live objects as time passes, up to the limit of its heap. So only the live memory shows a leak.
    if (owner === 'server') continue;
    assert.ok(
      least / perSecond <= LEAST_OBJECT_BYTES,
      `the memory of ${owner} grows by more than ${LEAST_OBJECT_BYTES} bytes an operation`,
    );
  }
}

describe('a quiet tenant beside ten noisy ones', { timeout: 7_200_000 }, () => {
  const seconds = NOISE.rounds * Object.keys(COMPANY).length * NOISE.slice;
  test(
    'is never refused, and waits at most twice as long',
    { timeout: (seconds + MORE_SECONDS) * 1000 },
    async (t) => {
      const quiet = await arrangeGame({ isLimited: true });
      const tenants: TestTenant[] = [];
      while (tenants.length < NOISY_TENANTS) tenants.push(await arrangeGame({ isLimited: true }));
      const { batch, signIns, perSecond } = NOISE;
      const noisy = startNoisyTenants({ url: server.url, tenants, batch, signIns });
      after(() => noisy.end());
      const api = openStrictApi(server.url, quiet.gameKey);
      const seed = 'quiet';
      const game = createGame(api, createRandom(seed), seed, NOISE.online);
      await game.begin();

      const slices: Record<Company, Slice[]> = {
        'beside all noise': [],
        alone: [],
        'beside 70 % of the noise': [],
      };
      const companies = Object.keys(COMPANY) as Company[];
      let report = await noisy.stop();
      for (let round = 0; round < NOISE.rounds; round++) {
        // So a machine that becomes slower or faster meanwhile does not favour one of them.
        for (const company of round % 2 === 0 ? companies : companies.toReversed()) {
          const slice = newSlice();
          slices[company].push(slice);
          const share = COMPANY[company];
          if (share > 0) noisy.start(share);
          await playFor(game, `${seed} ${round}`, {
            perSecond,
            seconds: NOISE.slice,
            sliceAt: () => slice,
          });
          if (share > 0) report = await noisy.stop();
        }
      }
      await api.close();
      noisy.end();

      t.diagnostic(`the noisy tenants: ${JSON.stringify(report.answers)}, ${report.acknowledged} events`);
      assertHealthy(api);
      await assertStoredOnce(quiet.tenantId, api.acknowledged);
      const ids = tenants.map(({ tenantId }) => tenantId);
      const { rows } = await server.owner.query(
        'SELECT count(*)::int AS stored FROM player_events WHERE tenant_id = ANY ($1)',
        [ids],
      );
      assert.equal(rows[0].stored, report.acknowledged);
      assert.ok(report.acknowledged > 0);
      await assertAtRest();
      assertFairness(t, slices);
    },
  );
});

function assertFairness(t: TestContext, slices: Record<Company, Slice[]>): void {
  const p99Of = (what: string, valuesOf: (slice: Slice) => number[]): Record<Company, number> => {
    const values = Object.entries(slices).map(([company, list]) => {
      const all = list.flatMap(valuesOf);
      t.diagnostic(`${what} ${company}: ${all.length}, p50 ${ms(median(all))}, p99 ${ms(p99(all))}`);
      return [company, p99(all)];
    });
    return Object.fromEntries(values) as Record<Company, number>;
  };
  const kinds = new Set(slices.alone.flatMap(({ byKind }) => [...byKind.keys()]));
  for (const kind of kinds) p99Of(kind, ({ byKind }) => byKind.get(kind) ?? []);
  p99Of('/health/live', ({ control }) => control);
  const { alone, ...beside } = p99Of('all', ({ all }) => all);
  for (const [company, value] of Object.entries(beside))
    t.diagnostic(`p99 ${company} ÷ alone: ${(value / alone).toFixed(2)}`);
  if (!IS_LONG) return;
  const ratio = beside['beside 70 % of the noise'] / alone;
  assert.ok(ratio <= MAX_NOISE_RATIO, `the p99 of the quiet tenant is ${ratio.toFixed(2)} times as long`);
}
