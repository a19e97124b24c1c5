import { globSync } from 'node:fs';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { buildServer } from '../../build.ts';
import { startEmbeddedServer } from '../database/embedded/embedded-server.ts';
import { COMPILE_CACHE } from '../cli/compile-cache.ts';
import { asAdministrator, withDatabase } from './databases.ts';
import { prepareTestDatabase } from './server-database.ts';
import { planProcesses, startsPrograms, writeProcessModule } from './test-processes.ts';
import { withRequirements } from './test-requirements.ts';

/**
 * Runs the tests: all of them, or those whose path in the repository contains one of the arguments. `--unit` selects the tests that need no
 * database. Otherwise the run starts one PostgreSQL (or uses the one of TEST_DATABASE_URL) and migrates a template database
 * in it. node's test runner does the rest.
 */
const SERVER = fileURLToPath(new URL('../..', import.meta.url));
const TRACK_TESTS = new URL('track-tests.ts', import.meta.url).href;
const commandLine = process.argv.slice(2);
const flags = commandLine.filter((argument) => argument.startsWith('--'));
const filters = commandLine.filter((argument) => !argument.startsWith('--'));
const isUnitRun = flags.includes('--unit');
/**
 * One process more than there are cores, up to 4, because tests wait for timers and for other programs. On 2 cores, 28 % of the processor time
 * is unused with 2 processes, and 8 % with 3. With 4 they slow each other down. Rates under attack are measured with one file at a time, so that attacks do not slow each other
 * down. The long delivery shows its progress, and the output of a second file would wait for the first.
 */
const CONCURRENT_PROCESSES =
  flags.includes('--attack-rates') || flags.includes('--long-delivery')
    ? 1
    : Math.min(4, availableParallelism() + 1);
/** If more files fail, the reason is not the load of the machine. */
const MOST_REPEATED_FILES = 5;
/** Tests have no limits of their own, because a busy machine would exceed them. */
const TEST_TIMEOUT_MS = 600_000;
/**
 * The longest files take 10 minutes on a busy machine. Without a limit, a hook that hangs would let the whole run hang. The long forms of
 * tests take hours, and end by limits of their own.
 */
const FILE_TIMEOUT_MS = flags.length === 0 ? 1_800_000 : 86_400_000;

const folders = [
  'src',
  'contracts',
  'acceptance',
  'trust',
  'benchmarks',
  '../examples',
  '../sdk/src',
  '../sdk/test',
  '../console/tests',
];
const found = globSync(
  folders.map((place) => `${place}/**/*.test.ts`),
  { cwd: SERVER },
)
  .toSorted()
  .filter((file) => filters.length === 0 || filters.some((filter) => join('server', file).includes(filter)))
  .filter((file) => !isUnitRun || isUnitTest(file));
const files = withRequirements(found);
if (files.length === 0) {
  console.error(`No test file matches ${filters.join(', ')}.`);
  process.exit(1);
}

// The databases of tests need not survive a crash. The crash tests start their own server with production settings.
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_compression: 'off',
  max_wal_size: '1GB',
  max_connections: '300',
};
const folder = await createFolder();
let exitCode = 1;
try {
  exitCode = isUnitRun ? await runNode() : await runWithDatabase();
} finally {
  // A program that a failed test left running may still write to it. That does not change the result.
  await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch((error: Error) =>
    console.error(`${folder} was not removed: ${error.message}`),
  );
}
process.exit(exitCode);

/**
 * Builds the programs that tests start, and runs the files with a template database, on the PostgreSQL of TEST_DATABASE_URL or on one that
 * it starts. Returns the exit code.
 */
async function runWithDatabase(): Promise<number> {
  if (files.some(startsPrograms)) await buildServer();
  const given = process.env['TEST_DATABASE_URL'];
  const server = given ? undefined : await startEmbeddedServer(join(folder, 'database'), SETTINGS);
  const base = given ?? server!.url('postgres');
  const template = `guildhall_template_${process.pid}`;
  try {
    await asAdministrator(base, `CREATE DATABASE ${template}`);
    const url = withDatabase(base, template);
    await prepareTestDatabase(url);
    return await runNode(url);
  } finally {
    await asAdministrator(base, `DROP DATABASE IF EXISTS ${template}`);
    await server?.stop();
  }
}

/**
 * Creates the folder of the files of the run, in memory if there is room. Each database has 700 files, which many file systems create and
 * delete slowly: in memory that takes a third of the processor time of PostgreSQL less. Servers that tests start do not wait for the disk.
 */
async function createFolder(): Promise<string> {
  const memory = '/dev/shm';
  const free = await statfs(memory).then(
    ({ bavail, bsize }) => Math.min(bavail * bsize, process.availableMemory()),
    () => 0,
  );
  const folder = await mkdtemp(join(free > 8 * 2 ** 30 ? memory : tmpdir(), 'guildhall-test-'));
  // Like the folder of the system, all users may write to it: tests start programs of other users.
  await chmod(folder, 0o1777);
  return folder;
}

/** The value of a flag `--name=value`. The last one counts. */
function valueOf(name: string): string {
  return flags.findLast((flag) => flag.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/** A unit test is next to its unit and named `x.test.ts`, not `x.api.test.ts`. */
function isUnitTest(file: string): boolean {
  const isSource = file.startsWith('src/') || file.startsWith('../sdk/src/');
  return isSource && /(^|\/)[^./]+\.test\.ts$/.test(file) && !file.startsWith('src/testing/');
}

/**
 * Runs the files, and returns the exit code. On a busy machine, one test of thousands may fail because it waited too long. So if few files
 * of the whole suite failed, they run once more, without others beside them. The run passes if they do, and names them at its end.
 */
async function runNode(templateUrl?: string): Promise<number> {
  const stop = new AbortController();
  // A signal that stops the run also stops its tests and its PostgreSQL.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
  const runEach = (processes: string[][], concurrency: number) =>
    runProcesses(processes, { concurrency, signal: stop.signal, templateUrl });

  const failed = await runEach(planProcesses(files), CONCURRENT_PROCESSES);
  if (stop.signal.aborted) return 1;
  if (failed.length === 0) return 0;
  if (commandLine.length > 0 || failed.length > MOST_REPEATED_FILES) return 1;
  console.log(`\nThese files failed. They run again, one at a time:\n${failed.join('\n')}\n`);
  const failedAgain = await runEach(
    failed.map((file) => [file]),
    1,
  );
  if (stop.signal.aborted || failedAgain.length > 0) return 1;
  console.log(`\nThese files failed beside other tests, and passed alone:\n${failed.join('\n')}`);
  return 0;
}

/** Runs processes with the runner of Node, and returns the files that failed. Its command line would sort the files again. */
async function runProcesses(
  processes: string[][],
  {
    concurrency,
    signal,
    templateUrl,
  }: { concurrency: number; signal: AbortSignal; templateUrl?: string | undefined },
): Promise<string[]> {
  const modules = new Map<string, string[]>();
  for (const shared of processes)
    modules.set(
      await writeProcessModule(folder, `${modules.size}`, shared, {
        root: SERVER,
        timeoutMs: FILE_TIMEOUT_MS,
      }),
      shared,
    );
  const results = run({
    files: [...modules.keys()],
    cwd: SERVER,
    execArgv: [
      `--import=${TRACK_TESTS}`,
      // A young generation that begins large saves a process 6 % of its processor time, because it is collected less often.
      '--min-semi-space-size=16',
      '--max-semi-space-size=32',
    ],
    concurrency,
    timeout: TEST_TIMEOUT_MS,
    // Otherwise a handle that a failed test left open would keep the run waiting without end.
    forceExit: true,
    signal,
    env: {
      ...process.env,
      // The long forms of tests measure servers on the disk, and store gigabytes.
      ...(flags.length === 0 && { TMPDIR: folder }),
      // Compiled code saves each process a second of processor time.
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...(templateUrl && { GUILDHALL_TEST_TEMPLATE: templateUrl }),
      GUILDHALL_LONG_CRASH: flags.includes('--long-crash') ? 'on' : 'off',
      GUILDHALL_LONG_WEEK: flags.includes('--long-week') ? 'on' : 'off',
      GUILDHALL_LOAD_MINUTES: valueOf('--minutes'),
      GUILDHALL_LONG_DELIVERY: flags.includes('--long-delivery') ? 'on' : 'off',
      GUILDHALL_FUZZ: valueOf('--fuzz'),
      GUILDHALL_FUZZ_SEED: valueOf('--seed'),
      GUILDHALL_FUZZ_ONLY: valueOf('--only'),
      GUILDHALL_SCHEDULES: valueOf('--schedules'),
      GUILDHALL_SCHEDULE_SEED: valueOf('--seed'),
      GUILDHALL_ATTACK_RATES: flags.includes('--attack-rates') ? 'on' : 'off',
    },
  });
  const failed = new Set<string>();
  results.on('test:fail', ({ nesting, name }) => {
    // A file is a test of its process. If the process ends early, Node reports the path of its module.
    if (nesting === 0) for (const file of modules.get(name) ?? [name]) failed.add(file);
  });
  for await (const text of results.compose(new spec())) process.stdout.write(text);
  return [...failed];
}
