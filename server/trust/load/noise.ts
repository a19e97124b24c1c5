import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { createRandom } from '../../src/simulation/random.ts';
import { gapBetweenArrivals } from './arrivals.ts';

/**
 * The process of the noisy tenants. Each of them sends large batches, reads without an index, exports and signs in, up to the limits of
 * its plan: as fast as it can, or at a share of the rates that it reached so. A message begins with the share, and 'stop' is
 * answered with a report when all requests have ended.
 */

/** A noisy tenant. */
export interface NoisyTenant {
  tenantId: string;
  gameKey: string;
  apiKey: string;
}

export interface NoiseSettings {
  url: string;
  tenants: NoisyTenant[];
  /** Events of a batch. */
  batch: number;
  /** How many connections of each tenant sign in at a time. */
  signIns: number;
}

/** The requests of the noisy tenants since the process began. */
export interface NoiseReport {
  /** Answers by kind and status. */
  answers: Record<string, number>;
  /** Events that the server said are stored. */
  acknowledged: number;
}

/** A refused client asks again soon, but does not use up this machine with requests that are refused. */
const AFTER_REFUSAL_MS = 50;
const SIGN_IN_ATTEMPTS = 200;

// The clients of other games run on other machines. Here they get the processor that the server leaves.
setPriority(19);

const settings = JSON.parse(process.argv[2]!) as NoiseSettings;
const dispatcher = new Agent({ connections: 1_000, pipelining: 1, bodyTimeout: 60_000 });
const report: NoiseReport = { answers: {}, acknowledged: 0 };
const random = createRandom('noise');
let noisyTenants: Promise<Lane[]> | undefined;
let ending = new AbortController();
let running: Promise<unknown> = Promise.resolve();

/** Requests of a tenant, of which each follows the answer to the last one. */
interface Lane {
  next(): Request;
  use(body: unknown): void;
  /** How many requests it has sent as fast as it could, and in which time. */
  fastest: { requests: number; ms: number };
}

interface Request {
  kind: string;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: object;
}

async function send({ kind, method, path, headers, body }: Request): Promise<unknown> {
  const answer = await request(settings.url + path, {
    method,
    dispatcher,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const name = `${kind} ${answer.statusCode}`;
  report.answers[name] = (report.answers[name] ?? 0) + 1;
  if (answer.statusCode < 300 && kind !== 'export') return answer.body.json();
  // An export may take minutes. Its client leaves when the noise ends.
  const pieces = answer.body[Symbol.asyncIterator]();
  while (!ending.signal.aborted && !(await pieces.next()).done);
  // A body that is destroyed before its end emits an error.
  answer.body.on('error', () => {}).destroy();
  if (answer.statusCode >= 300) await sleep(AFTER_REFUSAL_MS);
  return undefined;
}

/** Sends a request. If its connection is closed, that counts as an answer with status 0. */
async function sendAndUse(wanted: Request, use: Lane['use']): Promise<void> {
  try {
    use(await send(wanted));
  } catch {
    const name = `${wanted.kind} 0`;
    report.answers[name] = (report.answers[name] ?? 0) + 1;
    await sleep(AFTER_REFUSAL_MS);
  }
}

/** Sends requests until the noise ends, and one at least. */
async function sendFast({ next, use, fastest }: Lane): Promise<void> {
  const began = performance.now();
  do {
    await sendAndUse(next(), use);
    fastest.requests++;
  } while (!ending.signal.aborted);
  fastest.ms += performance.now() - began;
}

/** Sends requests at random times until the noise ends. They are a share of those that {@link sendFast} sends in the same time. */
async function sendShare({ next, use, fastest }: Lane, share: number): Promise<void> {
  const { signal } = ending;
  const meanMs = fastest.ms / fastest.requests / share;
  for (let plannedAt = performance.now(); ; await sendAndUse(next(), use)) {
    plannedAt += gapBetweenArrivals(random, meanMs);
    await sleep(Math.max(0, plannedAt - performance.now()), undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
  }
}

async function playerOf({ gameKey }: NoisyTenant): Promise<{ playerId: string; accessToken: string }> {
  for (let attempt = 1; attempt <= SIGN_IN_ATTEMPTS; attempt++) {
    const body = await send({
      kind: 'sign-in',
      method: 'POST',
      path: '/api/player-auth/login',
      headers: { 'x-game-key': gameKey },
      body: { provider: 'Mock', token: 'mock:sender:secret' },
    });
    if (body) return body as { playerId: string; accessToken: string };
  }
  throw new Error('No sign-in of a noisy tenant was accepted.');
}

async function lanesOf(tenant: NoisyTenant): Promise<Lane[]> {
  const { tenantId, gameKey, apiKey } = tenant;
  const { playerId, accessToken } = await playerOf(tenant);
  const game = { 'x-game-key': gameKey };
  const api = { 'x-api-key': apiKey };
  const base = `/api/bus_tenants/${tenantId}`;
  const get = (kind: string, path: string) => (): Request => ({ kind, method: 'GET', path, headers: api });

  const batch = (): Request => {
    const occurredAt = new Date().toISOString();
    const events = Array.from({ length: settings.batch }, (_, index) => ({
      playerId,
      eventKey: `kind-${index % 50}`,
      value: index,
      idempotencyKey: randomUUID(),
      occurredAt,
    }));
    const headers = { ...game, authorization: `Bearer ${accessToken}` };
    return { kind: 'batch', method: 'POST', path: '/api/game/player-events', headers, body: { events } };
  };
  let players = 0;
  const signIn = (): Request => {
    const token = `mock:player-${players++ % 500}:secret`;
    return {
      kind: 'sign-in',
      method: 'POST',
      path: '/api/player-auth/login',
      headers: game,
      body: { provider: 'Mock', token },
    };
  };
  const lane = (next: Lane['next'], use: Lane['use'] = () => {}): Lane => ({
    next,
    use,
    fastest: { requests: 0, ms: 0 },
  });
  return [
    lane(batch, (body) => {
      report.acknowledged += (body as { records?: [] } | undefined)?.records?.length ?? 0;
    }),
    // No index helps: one query looks for a rare value, the other counts those of each minute.
    lane(get('read', `${base}/events?scope=player&eventValue=none&limit=1000`)),
    lane(get('read', `${base}/events/summary?scope=player&bucket=minute&eventValue=none`)),
    lane(get('export', `${base}/events/export?scope=player&format=csv`)),
    ...Array.from({ length: settings.signIns }, () => lane(signIn)),
  ];
}

async function makeNoise(share: number): Promise<void> {
  noisyTenants ??= Promise.all(settings.tenants.map(lanesOf)).then((lanes) => lanes.flat());
  const lanes = await noisyTenants;
  await Promise.all(lanes.map((lane) => (share === 1 ? sendFast(lane) : sendShare(lane, share))));
}

process.on('message', (message: number | 'stop') => {
  if (message === 'stop') {
    ending.abort();
    void running.then(() => process.send!(report));
  } else {
    ending = new AbortController();
    running = makeNoise(message);
  }
});
