import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startEmbeddedServer } from './embedded-server.ts';

test('PostgreSQL starts although a power failure has left an empty postmaster.pid', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-postmaster-'));
  try {
    await (await startEmbeddedServer(folder)).stop();
    const file = join(folder, 'postgres', 'postmaster.pid');
    writeFileSync(file, '');
    const aMinuteAgo = Date.now() / 1000 - 60;
    utimesSync(file, aMinuteAgo, aMinuteAgo);
    await (await startEmbeddedServer(folder)).stop();
    assert.throws(() => statSync(file), { code: 'ENOENT' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('says why PostgreSQL does not start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-postmaster-'));
  try {
    await (await startEmbeddedServer(folder)).stop();
    appendFileSync(join(folder, 'postgres', 'postgresql.conf'), 'no_parameter = 1\n');
    await assert.rejects(
      startEmbeddedServer(folder),
      /^OperatorError: PostgreSQL did not start: configuration file "\S+postgresql\.conf" contains errors$/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
