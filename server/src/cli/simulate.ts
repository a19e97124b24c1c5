import { Command, InvalidArgumentError, Option } from 'commander';
import { withDatabaseAt, type Database } from '../database/database.ts';
import { hasDatabase } from '../database/embedded/data-folder.ts';
import { secondsFromNow } from '../core/timestamps.ts';
import { findActiveTenant, findDemoTenant } from '../features/studio/tenants/index.ts';
import { createOwnKey } from '../features/studio/tenant-keys/index.ts';
import { openVault } from '../runtime/open-vault.ts';
import {
  createTally,
  DEFAULT_THRESHOLDS,
  openApi,
  progressLine,
  simulate,
  summary,
  type AlertThresholds,
} from '../simulation/index.ts';
import {
  durationOption,
  integer,
  onClosedOutput,
  readSettings,
  stopOnSignal,
  UsageError,
  withStorage,
} from './command.ts';
import { withProgress } from './progress.ts';
import { checkTenantId } from './tenants.ts';

const duration = durationOption(1, 7 * 24 * 60 * 60);

interface Options {
  players: number;
  rate: number;
  duration: number;
  spike: number;
  seed: string;
  url?: string;
  key?: string;
  tenant?: string;
}

export const simulateCommand = new Command('simulate')
  .description(
    'simulate players who sign in, play matches, send events and make mistakes, so that charts and alerts have data',
  )
  .option('--players <count>', 'the number of players (1 to 10,000)', integer(1, 10_000), 100)
  .option('--rate <events>', 'events per second at the busiest moment (1 to 5,000)', integer(1, 5000), 20)
  .addOption(
    new Option('--duration <time>', 'the duration: 30s, 10m, 2h, up to 7d')
      .argParser(duration)
      .default(600, '10m'),
  )
  .addOption(
    new Option('--spike <time>', 'the time between spikes that raise alerts, or off')
      .argParser(spikeInterval)
      .default(120, '2m'),
  )
  .option('--seed <text>', 'the same text gives the same players', seedText, '1')
  .addOption(
    new Option(
      '--key <key>',
      'a game key; without one, a key is created in the demo of the embedded database',
    ).env('GUILDHALL_GAME_KEY'),
  )
  .addOption(
    new Option(
      '--tenant <id>',
      'the tenant of the embedded database in which a key is created (default: the demo)',
    ).conflicts('key'),
  )
  .addOption(
    new Option('--url <url>', 'the address of the server (default: port PORT of this machine)').env(
      'GUILDHALL_URL',
    ),
  )
  .action(run);

async function run(options: Options): Promise<void> {
  const url = (options.url ?? `http://127.0.0.1:${readSettings().port}`).replace(/\/+$/, '');
  if (!URL.canParse(url)) throw new UsageError(`--url: "${url}" is not a URL.`);
  const access = options.key
    ? { gameKey: options.key, thresholds: DEFAULT_THRESHOLDS }
    : await createSimulationKey(url, options);

  const stop = new AbortController();
  const tally = createTally();
  const durationMs = options.duration * 1000;
  const finished = (async () => {
    const api = openApi(url, access.gameKey, stop.signal);
    await api.check();
    console.log(`${options.players} players play at ${url}. Ctrl-C ends the simulation.`);
    const perSecond = rateOf(() => tally.accepted);
    const spikeEveryMs = options.spike === 0 ? undefined : options.spike * 1000;
    const settings = { ...options, durationMs, spikeEveryMs, thresholds: access.thresholds };
    try {
      await withProgress(
        () => progressLine(tally, durationMs, perSecond()),
        () => simulate(api, settings, stop, tally),
      );
    } finally {
      await api.close();
    }
    console.log(summary(tally));
  })();
  stopOnSignal(async () => {
    stop.abort();
    await finished;
  });
  onClosedOutput(() => stop.abort());
  await finished;
}

const KEY_OUTLIVES_SECONDS = 600;

/**
 * Creates a game key for one simulation in a tenant of the embedded database, by default the demo. Its alert thresholds are a few
 * times the simulated traffic, so that a spike raises alerts with few requests. Throws {@link UsageError}.
 */
async function createSimulationKey(
  url: string,
  { rate, duration, tenant }: Options,
): Promise<{ gameKey: string; thresholds: AlertThresholds }> {
  await requireEmbeddedDatabase(url);
  checkTenantId(tenant);
  const requests = 600 + 120 * rate;
  const thresholds = { requests, bytes: 1024 * 1024 + 1024 * requests };
  const gameKey = await withStorage((databaseUrl, config) =>
    withDatabaseAt(databaseUrl, async (database) => {
      const vault = await openVault(config, databaseUrl);
      const tenantId = await findSimulationTenant(database, tenant);
      const { key } = await database.forTenant(tenantId).transaction((transaction) =>
        createOwnKey(transaction, vault, {
          tenantId,
          kind: 'game',
          name: 'Simulation',
          rateLimitPerMinute: thresholds.requests,
          payloadBytesPerMinute: thresholds.bytes,
          expiresAt: secondsFromNow(duration + KEY_OUTLIVES_SECONDS),
        }),
      );
      return key;
    }),
  );
  return { gameKey, thresholds };
}

/** Throws {@link UsageError} if the server does not answer, or the settings name no embedded database. */
async function requireEmbeddedDatabase(url: string): Promise<void> {
  const { databaseUrl, dataDir } = readSettings();
  if (databaseUrl)
    throw new UsageError(
      'Set a game key with --key or GUILDHALL_GAME_KEY. Only the embedded database has a demo.',
    );
  if (!(await fetch(`${url}/health/live`).catch(() => undefined))?.ok)
    throw new UsageError(`No server answers at ${url}. Start it with \`npm start\`, or set --url.`);
  if (!(await hasDatabase(dataDir)))
    throw new UsageError(`${dataDir} has no database. Set DATA_DIR to the server's folder, or set --key.`);
}

/** The id of the given tenant, or of the demo. Throws {@link UsageError} if there is none, or it is disabled. */
async function findSimulationTenant(database: Database, tenant: string | undefined): Promise<string> {
  const platform = database.forPlatform();
  const found = await (tenant ? findActiveTenant(platform, tenant) : findDemoTenant(platform));
  if (found) return found.id;
  throw new UsageError(
    tenant
      ? `The database has no active tenant ${tenant}.`
      : 'The database has no demo tenant. Set a game key with --key or GUILDHALL_GAME_KEY.',
  );
}

const RATE_OVER_MS = 5_000;

/** Returns the rate per second of the last five seconds, each time that it is called. */
function rateOf(count: () => number): () => number {
  const samples: { at: number; count: number }[] = [];
  return () => {
    const now = { at: performance.now(), count: count() };
    samples.push(now);
    while (samples[0]!.at < now.at - RATE_OVER_MS) samples.shift();
    const { at, count: before } = samples[0]!;
    return at === now.at ? 0 : ((now.count - before) * 1000) / (now.at - at);
  };
}

/** Zero seconds for `off`. */
function spikeInterval(text: string): number {
  return text === 'off' ? 0 : duration(text);
}

/** A text of at most 32 letters and digits, because it becomes a part of usernames. */
function seedText(text: string): string {
  if (/^[a-z0-9]{1,32}$/i.test(text)) return text;
  throw new InvalidArgumentError('It must have 1 to 32 letters and digits.');
}
