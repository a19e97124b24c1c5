import assert from 'node:assert/strict';
import type { ClientStorage, Session } from '../src/index.ts';

const HOUR_MS = 3_600_000;

/** Checks that a session learns the server's time from its token, as if this device had received it with a clock an hour behind. */
export async function assertServerTime(
  storage: ClientStorage,
  open: () => { session: Session<unknown>; close(): void },
): Promise<void> {
  const [[key, text]] = (await storage.list('guildhall.', 1)) as [[string, string]];
  const session = JSON.parse(text) as { expiresAt: number };
  session.expiresAt -= HOUR_MS;
  await storage.write({ [key]: JSON.stringify(session) });
  const client = open();
  await client.session.load();
  const differenceMs = client.session.serverTime().getTime() - Date.now();
  assert.ok(Math.abs(differenceMs - HOUR_MS) < 60_000, `${differenceMs} ms`);
  client.close();
  assert.equal(
    await storage.get(key),
    JSON.stringify(session),
    'a closed client leaves the session to others',
  );
  await storage.write({ [key]: text });
}
