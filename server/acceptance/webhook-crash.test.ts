import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { arrangeWorkspace } from './arrange.ts';
import { freePort } from './free-port.ts';
import { accepted } from './http.ts';
import { answersOrEnds, dataFolder, spawnCommand, type CommandProcess } from './server-process.ts';

/**
 * Every delivery arrives after any crash of workers: at a receiver that fails at random, across a rotation of secrets,
 * under one id, and with a signature that an independent library verifies (docs/webhooks.md). Only workers are killed.
 * The long run has two at a time.
 */
const LONG = process.env['GUILDHALL_LONG_CRASH'] === 'on';
const DELIVERIES = LONG ? 10_000 : 300;
const KILLS = LONG ? 10 : 2;
const WORKERS = LONG ? 2 : 1;
const WEBHOOKS = 4;
/** More than one step of a redelivery. */
const REDELIVERIES = 250;
const PUBLISHERS = 8;

const folder = dataFolder();
// One account publishes all deliveries, faster than a person.
const env = { ALLOW_PRIVATE_ADDRESSES: 'on', ACCOUNT_RATE_LIMIT: '10000', NETWORK_RATE_LIMIT: '10000' };
const database = new pg.Pool({ host: join(folder.path, 'socket'), user: 'guildhall', database: 'guildhall' });
database.on('error', () => {});
after(async () => {
  await database.end();
  folder.remove();
});

interface Hook {
  id: string;
  /** The secrets of its receiver, newest first. */
  secrets: string[];
}
const hooks = new Map<string, Hook>();
const arrived = new Map<string, { bodies: Set<string>; attempts: number; isAcknowledged: boolean }>();
const forged: string[] = [];
const receiver = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1');
await once(receiver, 'listening');
after(() => {
  receiver.closeAllConnections();
  receiver.close();
});

/** Verifies and records a delivery, and then fails in one of the ways of real servers. */
async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request).catch(() => undefined);
  if (body === undefined) return;
  const id = String(request.headers['webhook-id']);
  const { secrets = [] } = hooks.get(request.url ?? '') ?? {};
  if (!secrets.some((secret) => isSignedWith(secret, body, request))) forged.push(id);
  const known = arrived.get(id) ?? { bodies: new Set<string>(), attempts: 0, isAcknowledged: false };
  arrived.set(id, known);
  known.bodies.add(body);
  known.attempts++;
  const chance = Math.random();
  if (chance < 0.08) response.writeHead(chance < 0.04 ? 500 : 429).end('not now');
  else if (chance < 0.12) response.destroy();
  else if (chance < 0.15)
    response.writeHead(200, { 'content-length': '9' }).write('half', () => response.destroy());
  else {
    if (chance < 0.25) await sleep(300);
    known.isAcknowledged = true;
    response.writeHead(200).end();
  }
}

function isSignedWith(secret: string, body: string, { headers }: IncomingMessage): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

test(
  `each of ${DELIVERIES} deliveries arrives over ${KILLS} kills of workers`,
  { timeout: LONG ? 1_800_000 : 600_000 },
  async () => {
    const port = await freePort();
    const server = spawnCommand('serve --no-worker', {
      dataDir: folder.path,
      env: { ...env, PORT: String(port) },
    });
    const url = `http://127.0.0.1:${port}`;
    assert.equal(await answersOrEnds({ ...server, url }), 'answers', server.output());
    // The webhooks of the deployment, since those of a workspace allow 120 tests a minute. The first account is its admin.
    const { accessToken } = await arrangeWorkspace(url);
    const webhooks = `${url}/api/admin/webhooks`;
    const { port: receiving } = receiver.address() as AddressInfo;
    for (let index = 0; index < WEBHOOKS; index++) {
      const address = `http://127.0.0.1:${receiving}/${index}`;
      const { id, secret } = await accepted('POST', webhooks, {
        body: { url: address },
        bearer: accessToken,
      });
      hooks.set(`/${index}`, { id, secrets: [secret] });
    }

    let workers = await Promise.all(Array.from({ length: WORKERS }, startWorker));
    const acknowledged = () => [...arrived.values()].filter(({ isAcknowledged }) => isAcknowledged).length;
    const published = publishAll(webhooks, accessToken);
    const shortenDelaysing = new AbortController();
    const hurried = shortenDelays(shortenDelaysing.signal);
    let forgotten = Promise.resolve();
    for (let kill = 1; kill <= KILLS; kill++) {
      const enough = (DELIVERIES * kill) / (KILLS + 2);
      while (acknowledged() < enough) await sleep(5);
      const [victim, ...others] = workers;
      await victim!.end('SIGKILL');
      if (!LONG) await expireDeadWorkers();
      workers = [...others, await startWorker()];
      if (kill !== Math.ceil(KILLS / 2)) continue;
      await rotateAll(webhooks, accessToken);
      forgotten = forgetOldSecrets();
    }
    const ids = await published;
    const allEnded = async () => {
      while ((await count(`status = 'pending'`)) > 0) await sleep(100);
    };
    await allEnded();
    const arrivedBefore = [...arrived.keys()];

    const [{ id: hookId } = assert.fail()] = hooks.values();
    const again = await arrangeFailed(hookId);
    await accepted('POST', `${webhooks}/${hookId}/redeliveries`, {
      body: { status: 'failed' },
      bearer: accessToken,
    });
    while (!arrived.has(again[10]!)) await sleep(5);
    const [worker, ...others] = workers;
    await worker!.end('SIGKILL');
    if (!LONG) await expireDeadWorkers();
    workers = [...others, await startWorker()];
    const ended = await endOfRedelivery();
    await allEnded();
    shortenDelaysing.abort();
    await hurried;
    await forgotten;
    for (const worker of workers) await worker.end('SIGTERM');
    await server.end('SIGTERM');

    assert.equal(ids.length, DELIVERIES);
    assert.deepEqual(arrivedBefore.toSorted(), ids.toSorted(), 'one id for each, and none of anything else');
    assert.equal(acknowledged(), DELIVERIES + REDELIVERIES);
    assert.ok(again.every((id) => arrived.has(id)));
    assert.deepEqual(ended, { status: 'completed', total: REDELIVERIES, attempted: REDELIVERIES });
    assert.deepEqual(forged, []);
    assert.ok(
      [...arrived.values()].every(({ bodies }) => bodies.size === 1),
      'the same bytes at every attempt',
    );
  },
);

async function startWorker(): Promise<CommandProcess> {
  const worker = spawnCommand('worker', { dataDir: folder.path, env });
  while (!worker.output().includes('The worker runs.')) {
    assert.equal(worker.child.exitCode, null, worker.output());
    await sleep(10);
  }
  return worker;
}

/** Sends test deliveries to the webhooks in turn, and returns their ids. */
async function publishAll(webhooks: string, accessToken: string): Promise<string[]> {
  const ids: string[] = [];
  const targets = [...hooks.values()];
  let next = 0;
  const publisher = async () => {
    while (next < DELIVERIES) {
      const hook = targets[next++ % targets.length]!;
      const { id } = await accepted('POST', `${webhooks}/${hook.id}/test`, { bearer: accessToken });
      ids.push(id);
    }
  };
  await Promise.all(Array.from({ length: PUBLISHERS }, publisher));
  return ids;
}

/** Writes failed deliveries of a webhook, and returns their ids, oldest first. */
async function arrangeFailed(webhookId: string): Promise<string[]> {
  const { rows } = await database.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, event_type, body, status, next_attempt_at)
     SELECT (substr($1, 1, 24) || lpad(to_hex(number), 12, '0'))::uuid, $1::uuid, 'webhook.test', '{}', 'failed', NULL
     FROM generate_series(1, $2::int) number RETURNING id`,
    [webhookId, REDELIVERIES],
  );
  return rows.map(({ id }) => id);
}

/** Waits until the only redelivery has ended. */
async function endOfRedelivery() {
  for (;;) {
    const { rows } = await database.query(
      `SELECT status, total, delivered + failed AS attempted FROM webhook_redeliveries`,
    );
    if (rows[0].status !== 'running') return rows[0];
    await sleep(100);
  }
}

/** Rotates the secret of each webhook. Both secrets sign for one hour. */
async function rotateAll(webhooks: string, accessToken: string): Promise<void> {
  for (const hook of hooks.values()) {
    const path = `${webhooks}/${hook.id}/rotate-secret`;
    const { secret } = await accepted('POST', path, { body: { overlapSeconds: 3600 }, bearer: accessToken });
    hook.secrets.unshift(secret);
  }
}

/** Removes the old secrets from the receiver when all attempts have ended that may have read nothing else. */
async function forgetOldSecrets(): Promise<void> {
  // An attempt that begins during the rotation may not be visible yet.
  await sleep(1_000);
  const { rows } = await database.query(`SELECT clock_timestamp()::text AS now`);
  while ((await count(`attempting_until > now() AND last_attempt_at < '${rows[0].now}'`)) > 0)
    await sleep(100);
  for (const hook of hooks.values()) hook.secrets.splice(1);
}

/** Keeps the first delay of 5 to 6 seconds, and shortens longer ones. */
async function shortenDelays(over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await database.query(
      `UPDATE pgboss.job SET start_after = now()
       WHERE name = 'webhook-delivery' AND state < 'active' AND start_after > now() + interval '7 seconds'`,
    );
    await sleep(500);
  }
}

/** Expires the jobs and attempts of dead workers. No other worker runs now. */
async function expireDeadWorkers(): Promise<void> {
  await database.query(
    `UPDATE pgboss.job SET started_on = started_on - interval '1 minute' WHERE state = 'active'`,
  );
  await database.query(
    `UPDATE webhook_deliveries SET attempting_until = now() WHERE attempting_until > now()`,
  );
}

async function count(condition: string): Promise<number> {
  const { rows } = await database.query(
    `SELECT count(*)::int AS count FROM webhook_deliveries WHERE ${condition}`,
  );
  return rows[0].count;
}
