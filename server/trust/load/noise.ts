import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';

/**
 * The process of the noisy tenants. Each of them sends large batches, reads without an index, exports and signs in as fast as it can,
 * up to the limits of its plan. It begins with a message 'start', and answers 'stop' with a report when all its requests have ended.
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
let isOn = false;
let lanes: Promise<void>[] = [];

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
  while (isOn && !(await pieces.next()).done);
  // A body that is destroyed before its end emits an error.
  answer.body.on('error', () => {}).destroy();
  if (answer.statusCode >= 300) await sleep(AFTER_REFUSAL_MS);
  return undefined;
}

/** Repeats a request while the noise is on, and sends it once at least. A request whose connection is closed counts as an answer with status 0. */
async function repeat(next: () => Request, use: (body: unknown) => void = () => {}): Promise<void> {
  do {
    const wanted = next();
    try {
      use(await send(wanted));
    } catch {
      const name = `${wanted.kind} 0`;
      report.answers[name] = (report.answers[name] ?? 0) + 1;
      await sleep(AFTER_REFUSAL_MS);
    }
  } while (isOn);
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

async function makeNoise(tenant: NoisyTenant): Promise<void> {
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
  await Promise.all([
    repeat(batch, (body) => {
      report.acknowledged += (body as { records?: [] } | undefined)?.records?.length ?? 0;
    }),
    // No index helps: one query looks for a rare value, the other counts those of each minute.
    repeat(get('read', `${base}/events?scope=player&eventValue=none&limit=1000`)),
    repeat(get('read', `${base}/events/summary?scope=player&bucket=minute&eventValue=none`)),
    repeat(get('export', `${base}/events/export?scope=player&format=csv`)),
    ...Array.from({ length: settings.signIns }, () => repeat(signIn)),
  ]);
}

process.on('message', (message) => {
  void (async () => {
    if (message === 'start') {
      isOn = true;
      lanes = settings.tenants.map(makeNoise);
    } else {
      isOn = false;
      await Promise.all(lanes);
      process.send!(report);
    }
  })();
});
