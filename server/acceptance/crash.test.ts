import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { arrangeTenant } from './arrange.ts';
import { auditHistory, type History, type Kind, type Sent } from './audit-history.ts';
import { assertCountedOnce, readBill, readRows } from './crash/database.ts';
import { resendEvents, sendOperations } from './crash/operations.ts';
import { refreshOnce, refreshRepeatedly, repeatRefresh, startRefreshChain } from './crash/refreshes.ts';
import type { Scene } from './crash/scene.ts';
import { startWebhookLog } from './crash/webhooks.ts';
import { freePort } from './free-port.ts';
import { signIn } from './http.ts';
import { answersOrEnds, exitOf, startServer, type ServerProcess } from './server-process.ts';
import { cluster, createStorage, type Storage } from './storage.ts';

/**
 * Acknowledged data is on disk exactly once after any crash (docs/reliability.md): events, sign-ins, refreshes, matches,
 * wallet-linked players and webhooks. Clients write down each operation before they send it. Node, PostgreSQL or both are killed at
 * random times. Batches of events and refreshes without an answer are then repeated. An auditor compares the notes with the
 * database and with the deliveries. With TEST_CITUS_URL, nodes of that cluster are killed instead of the embedded PostgreSQL.
 */
const LONG = process.env['GUILDHALL_LONG_CRASH'] === 'on';
const REFRESH_CHAINS = 4;

/** What each round kills: the server, and nodes of its storage. */
const VICTIMS = cluster
  ? [
      ['workers'],
      ['server', 'coordinator'],
      ['coordinator'],
      ['server', 'coordinator', 'workers'],
      ['server'],
    ]
  : [['server', 'PostgreSQL'], ['server'], ['PostgreSQL'], ['server', 'PostgreSQL'], ['server']];

/** A round lasts until each of these was acknowledged. */
const IN_EACH_ROUND = ['event', 'sign-in', 'refresh', 'webhook'] as const;

interface Run {
  rounds: number;
  /** Rounds last until this many events are acknowledged in each of them. */
  events: number;
}
/** The long run acknowledges 1,000,000 events, and kills the server 20 times and PostgreSQL 15 times. */
const RUN: Run = LONG ? { rounds: 25, events: 40_000 } : { rounds: 4, events: 300 };

test(
  `loses, duplicates and alters nothing that was acknowledged over ${RUN.rounds} crashes, and bills it once`,
  { timeout: LONG ? 7_200_000 : 600_000 },
  async (t) => {
    const history = await crashRepeatedly(RUN);
    const counts = countAcknowledged(history.sent);
    const counted = [...counts].map(([kind, count]) => `${count} × ${kind}`).join(', ');
    t.diagnostic(`acknowledged: ${counted}; billed units: ${Object.values(history.billed ?? {}).join(', ')}`);
    assert.ok(counts.get('event')! >= RUN.rounds * RUN.events, counted);
    // A loaded machine records few wallet-linked players in a short run: each costs a password hash.
    const required: Kind[] = LONG ? ['match', 'wallet entry'] : [];
    for (const kind of [...IN_EACH_ROUND, ...required]) assert.ok((counts.get(kind) ?? 0) > 0, counted);
    assert.deepEqual(auditHistory(history), []);
  },
);

// A node of Citus always writes a prepared transaction to its disk.
const ofSabotage = { timeout: 900_000, skip: cluster !== undefined };
test('detects lost events if commits do not wait for the disk', ofSabotage, async () => {
  // The positive control: with these settings, PostgreSQL acknowledges up to 30 seconds of commits that a crash loses. It still writes
  // earlier now and then.
  const sabotage = async ({ query, options }: Storage): Promise<void> => {
    await query('ALTER DATABASE guildhall SET synchronous_commit = off');
    const settings = `wal_writer_delay = '10s'\nwal_writer_flush_after = '1GB'\n`;
    await appendFile(join(options.dataDir, 'postgres', 'postgresql.conf'), settings);
  };
  for (let attempt = 1; attempt <= 5; attempt++) {
    const history = await crashRepeatedly({ rounds: 1, events: 0 }, sabotage);
    const findings = auditHistory(history);
    if (findings.some(({ fault, what }) => fault === 'lost' && what.startsWith('event'))) return;
  }
  assert.fail('no acknowledged event was lost, so this test cannot detect a loss');
});

async function crashRepeatedly(
  { rounds, events }: Run,
  sabotage?: (storage: Storage) => Promise<void>,
): Promise<History> {
  const storage = await createStorage();
  const { query } = storage;
  const sent: Sent[] = [];
  const webhooks = await startWebhookLog();
  try {
    // All servers use one port, because the URL is the issuer of the player's token. The receiver of the webhooks is on this
    // machine, and one account triggers them faster than a person.
    const env = { ALLOW_PRIVATE_ADDRESSES: 'on', ACCOUNT_RATE_LIMIT: '10000', NETWORK_RATE_LIMIT: '10000' };
    const { dataDir } = storage.options;
    const options = { dataDir, port: await freePort(), env: { ...env, ...storage.options.env } };
    let server = await startServer(options);
    const { url } = server;
    const { tenantId, gameKey, email, password } = await arrangeTenant(url);
    const player = await signIn(url, gameKey, 'survivor');
    const chains = await Promise.all(
      Array.from({ length: REFRESH_CHAINS }, (_, number) => startRefreshChain(url, gameKey, number)),
    );
    await query('UPDATE accounts SET is_platform_admin = true');
    await query('UPDATE tenants SET auto_create_definitions = true');
    await query('UPDATE workspaces SET requests_per_minute = 1000000, requests_per_hour = 10000000');
    await sabotage?.(storage);
    // The settings may lose events, but not the tenant and the players, which a clean stop writes to disk. They apply from the next start.
    assert.equal(await server.end('SIGTERM'), 0);
    server = await startServer(options);
    const setUp = await readBill(storage);

    for (let round = 0; round < rounds; round++) {
      const over = new AbortController();
      const scene: Scene = { server, tenant: tenantId, gameKey, player, sent, over: over.signal };
      const triggerWebhooks = await webhooks.register(server, { email, password }, round);
      const clients = [
        sendOperations(scene, round),
        triggerWebhooks(scene),
        ...chains.map((chain) => refreshRepeatedly(scene, chain)),
      ];
      // With the sabotage, a crash can lose the tokens of all clients that refresh.
      const kinds = sabotage ? (['event'] as const) : IN_EACH_ROUND;
      await untilUsed(sent, kinds, (round + 1) * events);
      await sleep(400 + Math.random() * 800);
      over.abort();
      const victims = sabotage ? VICTIMS[0]! : VICTIMS[round % VICTIMS.length]!;
      server = await killAndStart(victims, server, storage, options);
      await Promise.all(clients);
      if (LONG) report(round, rounds, victims, sent);
      if (sabotage) continue;
      const next = { ...scene, server };
      for (const chain of chains) {
        await repeatRefresh(next, chain);
        await refreshOnce(next, chain);
      }
      await resendEvents(next);
    }
    if (!sabotage) await deliverAll(storage);
    await storage.settle();
    const stored = [...(await readRows(storage)), ...webhooks.received()];
    const billed = await readBill(storage);
    if (!sabotage) await assertCountedOnce(storage);
    for (const [id, units] of Object.entries(setUp)) billed[id] = (billed[id] ?? 0) - units;
    await server.end('SIGTERM');
    return { sent, stored, ...(!sabotage && { billed }) };
  } finally {
    webhooks.close();
    await storage.remove();
  }
}

/** Kills a server, nodes of its storage or both, and waits until a server is ready again. */
async function killAndStart(
  victims: string[],
  server: ServerProcess,
  storage: Storage,
  options: Parameters<typeof startServer>[0],
): Promise<ServerProcess> {
  const isServerRunning = !victims.includes('server');
  const nodes = victims.filter((victim) => victim !== 'server');
  if (!isServerRunning) server.child.kill('SIGKILL');
  storage.kill(nodes);
  if (!isServerRunning) await exitOf(server.child);
  await storage.restart(nodes, { isServerRunning });
  if (!isServerRunning) return startServer(options);
  assert.equal(await answersOrEnds(server), 'answers', server.output());
  return server;
}

/** Waits until each of these kinds was acknowledged again, and this many events in all rounds. */
async function untilUsed(
  sent: Sent[],
  kinds: readonly (typeof IN_EACH_ROUND)[number][],
  events: number,
): Promise<void> {
  const before = countAcknowledged(sent);
  const isUsed = (): boolean => {
    const counts = countAcknowledged(sent);
    return (
      kinds.every((kind) => (counts.get(kind) ?? 0) > (before.get(kind) ?? 0)) &&
      counts.get('event')! >= events
    );
  };
  while (!isUsed()) await sleep(250);
}

/** Waits until each delivery is delivered. The jobs and attempts of killed servers expire now, not after a minute. */
async function deliverAll({ query }: Storage): Promise<void> {
  const hurry = [
    `UPDATE pgboss.job SET started_on = started_on - interval '1 minute' WHERE state = 'active'`,
    `UPDATE pgboss.job SET start_after = now() WHERE state = 'retry' AND start_after > now()`,
    `UPDATE webhook_deliveries SET attempting_until = now() WHERE attempting_until > now()`,
  ];
  for (;;) {
    for (const statement of hurry) await query(statement);
    const [row] = await query(
      `SELECT count(*)::int AS waiting FROM webhook_deliveries WHERE status = 'pending'`,
    );
    if (row!['waiting'] === 0) return;
    await sleep(500);
  }
}

function countAcknowledged(sent: Sent[]): Map<Kind, number> {
  const counts = new Map<Kind, number>([['event', 0]]);
  for (const { kind, acknowledgedAt } of sent)
    if (acknowledgedAt !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

function report(round: number, rounds: number, victims: string[], sent: Sent[]): void {
  const counts = [...countAcknowledged(sent)].map(([kind, count]) => `${count} × ${kind}`);
  console.log(
    `${new Date().toISOString()}: killed ${victims.join(' and ')}, ${round + 1} of ${rounds}. Acknowledged: ${counts.join(', ')}`,
  );
}
