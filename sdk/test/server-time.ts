import assert from 'node:assert/strict';
import type { ClientStorage, Session } from '../src/index.ts';

const HOUR_MS = 3_600_000;

/** Checks that a session learns the server's time from its token, as if this device had received it with a clock an hour behind. */
export async function assertServerTime(storage: ClientStorage, open: () => Session<unknown>): Promise<void> {
  const [[key, text]] = (await storage.list('guildhall.', 1)) as [[string, string]];
  const session = JSON.parse(text) as { expiresAt: number };
  session.expiresAt -= HOUR_MS;
  await storage.write({ [key]: JSON.stringify(session) });
  const opened = open();
  await opened.load();
  const differenceMs = opened.serverTime().getTime() - Date.now();
  assert.ok(Math.abs(differenceMs - HOUR_MS) < 60_000, `${differenceMs} ms`);
  await storage.write({ [key]: text });
}
