import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../testing/eventually.ts';
import { withClient } from './client.ts';
import { openStorage } from './storage.ts';

test('PostgreSQL is restarted if it ended before the server asked to keep it running', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'guildhall-storage-'));
  const storage = await openStorage({ databaseUrl: undefined, dataDir }, 'exclusive');
  try {
    const lost = withClient({ connectionString: storage.url }, async (client) => {
      const [postmaster] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
      const end = new Promise((resolve) => client.once('end', resolve));
      process.kill(Number(postmaster), 'SIGKILL');
      await end;
    });
    await lost;

    const lines: string[] = [];
    const log = { warn: (_: object, line: string) => lines.push(line), error: () => {} };
    storage.keepRunning(log);
    await eventually(() => lines.length > 0, 'the restart');
    assert.deepEqual(lines, ['PostgreSQL was restarted']);
  } finally {
    await storage.close();
    rmSync(dataDir, { recursive: true });
  }
});
