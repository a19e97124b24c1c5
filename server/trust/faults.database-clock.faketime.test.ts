import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { startExternalPostgres } from '../acceptance/external-postgres.ts';
import { prepareDatabase } from '../src/runtime/prepare-database.ts';
import { startTimedOperations } from './faults/timed-operations.ts';

// The clock of PostgreSQL is set one hour forward and back while it runs. The clock of the server is right.

const folder = mkdtempSync(join(tmpdir(), 'guildhall-clock-'));
const offset = join(folder, 'offset');

/** Replaces the file at once, so that PostgreSQL never reads half of it. */
function setClock(text: string): void {
  const next = `${offset}.next`;
  writeFileSync(next, text);
  chmodSync(next, 0o644);
  renameSync(next, offset);
}

setClock('+0');
// PostgreSQL may run as another user.
chmodSync(folder, 0o755);
const library = execFileSync('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' }).trim();
const postgres = await startExternalPostgres({
  env: {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: offset,
    FAKETIME_NO_CACHE: '1',
    // A machine whose clock is set does not change how long a wait takes.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  },
});
await postgres.run('CREATE DATABASE guildhall');
const url = postgres.url('postgres', 'guildhall');
await prepareDatabase(url);
const { app, signIn, refresh, play, useAll } = await startTimedOperations(url);
after(() => {
  postgres.stop();
  rmSync(folder, { recursive: true });
});

/** How many minutes the clock of PostgreSQL is ahead. */
async function minutesAhead(): Promise<number> {
  const { rows } = await app.owner.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return Math.round((rows[0]!.now.getTime() - Date.now()) / 60_000);
}

describe('the clock of PostgreSQL', () => {
  for (const [name, jump, minutes] of [
    ['may jump one hour forward and back', '+1h', 60],
    ['may jump one hour back and forward', '-1h', -60],
  ] as const)
    test(name, { timeout: 300_000 }, async () => {
      let before = await signIn();
      await useAll();
      for (const [clock, ahead] of [
        [jump, minutes],
        ['+0', 0],
      ] as const) {
        setClock(clock);
        assert.ok(Math.abs((await minutesAhead()) - ahead) <= 1, 'the clock of PostgreSQL was set');
        // Credentials from before the jump.
        await play(before);
        before = await refresh(before.refreshToken);
        await useAll();
      }
    });
});
