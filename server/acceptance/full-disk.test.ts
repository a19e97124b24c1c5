import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { arrangeTenant } from './arrange.ts';
import { eventually } from './eventually.ts';
import { accepted, call, signIn } from './http.ts';
import {
  dataFolder,
  exitOf,
  postgresOf,
  spawnServer,
  startServer,
  type ServerProcess,
} from './server-process.ts';

const MIB = 1024 * 1024;
const DISK_MIB = 500;
const EVENTS_PER_BATCH = 2_000;

const folder = dataFolder();
const ballast = join(folder.path, 'ballast');
const isMounted = mountSmallDisk(folder.path);
after(() => {
  if (isMounted) spawnSync('umount', ['--lazy', folder.path]);
  folder.remove();
});

/** Mounts a file system of a limited size. Only root can do that. */
function mountSmallDisk(path: string): boolean {
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'guildhall-test', path]);
  if (status === 0) return true;
  const isRequired = process.env['CI'] === 'true' && process.platform === 'linux' && process.getuid?.() === 0;
  assert.ok(!isRequired, 'with CI=true, root must be able to mount a file system');
  console.log('SKIPPED: acceptance/full-disk.test.ts needs root, to mount a small file system.');
  return false;
}

describe('a full disk', { skip: !isMounted }, () => {
  let server: ServerProcess;
  let game: Awaited<ReturnType<typeof arrangeGame>>;
  /** Batches that were answered with 201. */
  const stored: object[][] = [];

  test('ends a first start with the reason', async () => {
    const dataDir = join(folder.path, 'new');
    useDiskUpTo(10 * MIB);
    const first = await spawnServer({ dataDir });
    assert.equal(await exitOf(first.child), 1);
    assert.match(
      first.output(),
      /^PostgreSQL could not create its files in DATA_DIR \([^\n]+\): could not [^\n]+: No space left on device\n$/,
    );
    rmSync(dataDir, { recursive: true });
    rmSync(ballast);
  });

  test('refuses batches with 503, and stores them again when there is room', async () => {
    server = await startServer({ dataDir: folder.path });
    game = await arrangeGame(server);
    useDiskUpTo(24 * MIB);
    let refused = 0;
    while (refused < 20) {
      const batch = game.newBatch();
      const answer = await game.send(batch);
      if (answer.status === 201) stored.push(batch);
      else {
        assertUnavailable(answer);
        refused++;
      }
    }
    assert.ok(stored.length > 0);
    rmSync(ballast);
    await recovers();
  });

  test('restarts a PostgreSQL that has no room for its log, and loses no stored event', async (t) => {
    const postgres = postgresOf(folder.path);
    // PostgreSQL deletes what it could not write of its next file, and with that room it can recover once more, in the same process.
    await eventually(async () => {
      useDiskUpTo(0);
      await assert.rejects(writeLog());
      const batch = game.newBatch();
      const answer = await game.send(batch);
      if (answer.status === 201) stored.push(batch);
      else assertUnavailable(answer);
      return postgresOf(folder.path) !== postgres;
    });
    assert.equal((await fetch(`${server.url}/health/live`)).status, 200);
    const roomAt = performance.now();
    rmSync(ballast);
    await recovers();
    t.diagnostic(`ready ${((performance.now() - roomAt) / 1000).toFixed(1)} s after there is room`);
    assert.notEqual(postgresOf(folder.path), postgres);
    await server.end('SIGTERM');
  });

  /** Writes to the log of PostgreSQL only. Throws when it needs another file for it, or if PostgreSQL does not run. */
  async function writeLog(): Promise<void> {
    const client = new pg.Client({
      host: join(folder.path, 'socket'),
      user: 'guildhall',
      database: 'guildhall',
    });
    client.on('error', () => {});
    await client.connect();
    for (;;) await client.query(`SELECT pg_logical_emit_message(false, 'test', repeat('x', 4000000))`);
  }

  /** Waits until batches are stored. Asserts that all that were stored before are still there. */
  async function recovers(): Promise<void> {
    await eventually(async () => {
      const answer = await game.send(game.newBatch());
      if (answer.status !== 201) assertUnavailable(answer);
      return answer.status === 201;
    });
    assert.equal((await fetch(`${server.url}/health/ready`)).status, 200);
    for (const batch of stored) {
      const { status, duplicateCount } = await game.send(batch);
      assert.deepEqual([status, duplicateCount], [422, EVENTS_PER_BATCH], 'each event is stored');
    }
  }
});

type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof arrangeGame>>['send']>>;

function assertUnavailable({ status, code, retryAfter }: Answer): void {
  assert.deepEqual([status, code, retryAfter], [503, 'unavailable', '5']);
}

/** Fills the disk, except for this many bytes. */
function useDiskUpTo(free: number): void {
  const available = (): number => {
    const { bavail, bsize } = statfsSync(folder.path);
    return bavail * bsize;
  };
  for (let left = available(); left > free; left = available())
    appendFileSync(ballast, Buffer.alloc(Math.min(MIB, left - free)));
}

/** Creates a game with a definition and a player, who sends batches. */
async function arrangeGame({ url }: ServerProcess) {
  const { at, accessToken, gameKey } = await arrangeTenant(url);
  const definition = { eventKey: 'kill', eventScope: 'player' };
  await accepted('POST', `${url}${at}/event-definitions`, { body: definition, bearer: accessToken });
  const player = await signIn(url, gameKey);
  return {
    newBatch: () =>
      Array.from({ length: EVENTS_PER_BATCH }, () => ({
        playerId: player.playerId,
        eventKey: 'kill',
        idempotencyKey: randomUUID(),
        occurredAt: new Date().toISOString(),
      })),
    async send(events: object[]) {
      const parts = { gameKey, bearer: player.accessToken, body: { events } };
      const { status, headers, body } = await call('POST', `${url}/api/game/player-events`, parts);
      await sleep(20);
      const { code, duplicateCount }: { code?: string; duplicateCount?: number } = body;
      return { status, retryAfter: headers.get('retry-after'), code, duplicateCount };
    },
  };
}
