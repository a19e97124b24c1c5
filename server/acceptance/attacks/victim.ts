import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { SERVER_NODE_OPTIONS } from '../../node-options.ts';
import { arrangeTenant, type Studio } from '../arrange.ts';
import { dataFolder, startServer, type ServerProcess } from '../server-process.ts';
import type { HonestPlayers, HonestReport } from './honest-players.ts';

/** `npm run test:attacks` asserts rates and times. They depend on the speed of the machine, so `npm test` does not. */
const IS_MEASURED = process.env['GUILDHALL_ATTACK_RATES'] === 'on';
/** Without a measurement, honest players pause, because their load would slow the other test files. */
const PAUSE_MS = IS_MEASURED ? 0 : 50;
const RATE_ALONE_MS = IS_MEASURED ? 1500 : 200;
const BUSY_TURNS = new URL('busy-turns.ts', import.meta.url).href;
/** No request may hold the event loop for longer. */
const MAX_TURN_MS = 50;

/** A server process with the memory and rate limits of production, and an honest studio. */
export interface Victim {
  url: string;
  server: ServerProcess;
  dataDir: string;
  /** The file of the long turns of the event loop. */
  busyTurns: string;
  honest: Studio;
}

/** Starts a server to attack. It is stopped, and its data are removed, after the tests of the file. */
export async function startVictim(env: Record<string, string> = {}): Promise<Victim> {
  const folder = dataFolder();
  // Beside the folder, because a new DATA_DIR must be empty.
  const busyTurns = `${folder.path}-busy-turns`;
  const server = await startServer({
    dataDir: folder.path,
    env: { ACCOUNT_RATE_LIMIT: '30', NETWORK_RATE_LIMIT: '200', ...env, GUILDHALL_BUSY_TURNS: busyTurns },
    nodeOptions: [...SERVER_NODE_OPTIONS, ...(IS_MEASURED ? [`--import=${BUSY_TURNS}`] : [])],
  });
  after(async () => {
    await server.end('SIGTERM');
    folder.remove();
    rmSync(busyTurns, { force: true });
  });
  const honest = await arrangeTenant(server.url);
  return { url: server.url, server, dataDir: folder.path, busyTurns, honest };
}

/**
 * Runs an attack while honest players sign in. Asserts that the server process stays up, and that each honest request
 * gets 200, or 503 with Retry-After.
 * `npm run test:attacks` also asserts the rate (at least half of the rate without the attack), and the longest turn of the event loop.
 * The attack should last some seconds and must end by itself.
 */
export async function withstands(
  t: TestContext,
  { url, server, busyTurns, honest }: Victim,
  attack: () => Promise<unknown>,
): Promise<void> {
  const alone = await honestRate(url, honest, sleep(RATE_ALONE_MS));
  if (IS_MEASURED) writeFileSync(busyTurns, '');
  const attacked = await honestRate(url, honest, attack());
  assert.equal(
    server.child.exitCode ?? server.child.signalCode,
    null,
    `the server ended: ${server.output()}`,
  );
  const ready = await fetch(`${url}/health/ready`);
  assert.equal(ready.status, 200);
  if (!IS_MEASURED) return;
  const ratio = attacked / alone;
  t.diagnostic(
    `honest sign-ins: ${alone.toFixed(0)}/s alone, ${attacked.toFixed(0)}/s attacked (${ratio.toFixed(2)})`,
  );
  const longest = Math.max(0, ...readFileSync(busyTurns, 'utf8').split('\n').map(Number));
  t.diagnostic(`longest turn of the event loop: ${longest} ms of processor time`);
  assert.ok(ratio >= 0.5, `honest players keep at least half of their rate, not ${ratio.toFixed(2)}`);
  assert.ok(longest <= MAX_TURN_MS, `a turn takes at most ${MAX_TURN_MS} ms, not ${longest} ms`);
}

/**
 * Signs in honest players until a promise settles, and returns the number of 200 responses per second. They run in a thread
 * of their own, so that the attack slows the server and not its own measurement.
 */
async function honestRate(url: string, { gameKey }: Studio, until: Promise<unknown>): Promise<number> {
  const players = new Worker(new URL('honest-players.ts', import.meta.url), {
    workerData: { url, gameKey, pauseMs: PAUSE_MS } satisfies HonestPlayers,
  });
  const report = once(players, 'message') as Promise<[HonestReport]>;
  report.catch(() => {});
  try {
    await until;
    players.postMessage('stop');
    const [{ perSecond, faults }] = await report;
    assert.deepEqual(faults, [], 'each honest sign-in gets 200, or 503 with Retry-After');
    return perSecond;
  } finally {
    await players.terminate();
  }
}
