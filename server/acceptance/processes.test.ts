import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { arrangeTenant } from './arrange.ts';
import { eventually } from './eventually.ts';
import { accepted } from './http.ts';
import { childrenOf, dataFolder, postgresOf, startServer, type ServerProcess } from './server-process.ts';

const folder = dataFolder();
let server: ServerProcess;
before(async () => {
  server = await startServer({
    dataDir: folder.path,
    processes: 2,
    env: { LOG_LEVEL: 'info', GUILDHALL_DEMO: 'on' },
  });
  await eventually(bothAnswer);
});
after(() => folder.remove());

const serving = (): number[] => childrenOf(server.child.pid!);
/** Waits until other processes than these answer. */
const replaced = (old: number[], count: number): Promise<void> =>
  eventually(async () => {
    const known = serving();
    return (
      known.length === 2 && known.filter((pid) => !old.includes(pid)).length === count && (await bothAnswer())
    );
  });
const metrics = async (): Promise<string> => (await fetch(`${server.url}/metrics`)).text();
const bothAnswer = async (): Promise<boolean> => {
  const text = await metrics();
  return ['1', '2'].every((number) => text.includes(`guildhall_process_up{process="${number}"} 1`));
};

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
}

/** Sends a request over the connections of an agent. Rejects if it gets no answer. */
function send(
  agent: Agent,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      server.url + path,
      {
        agent,
        method: body ? 'POST' : 'GET',
        headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      },
      (answer) => {
        answer.resume();
        answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers }));
        answer.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

/** Sends many requests at once, each on a connection of its own, so that all processes get some. Counts the statuses. */
async function flood(
  count: number,
  send: (agent: Agent) => Promise<Answer>,
): Promise<Record<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const answers = await Promise.all(Array.from({ length: count }, () => send(agent)));
  agent.destroy();
  const statuses = Object.entries(Object.groupBy(answers, ({ status }) => status));
  return Object.fromEntries(statuses.map(([status, group]) => [status, group!.length]));
}

/** Sends requests one after another on each of several connections, with short pauses, until it is stopped. */
function load(path: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const failures: string[] = [];
  let answered = 0;
  let running = true;
  const work = Promise.all(
    Array.from({ length: connections }, async () => {
      while (running) {
        try {
          const { status } = await send(agent, path);
          if (status === 200) answered++;
          else failures.push(`answered ${status}`);
        } catch (error) {
          failures.push((error as Error).message);
        }
        await sleep(5);
      }
    }),
  );
  return {
    answered: () => answered,
    async stop() {
      running = false;
      await work;
      agent.destroy();
      return failures;
    },
  };
}

describe('guildhall serve --processes 2', () => {
  test('answers with both processes, and /metrics shows each', async () => {
    assert.equal(serving().length, 2);
    const answeredBy = async (number: string): Promise<boolean> =>
      new RegExp(
        `^guildhall_http_request_duration_seconds_count\\{operation="getLiveness",status="200",process="${number}"\\} [1-9]`,
        'm',
      ).test(await metrics());
    await eventually(async () => {
      await flood(20, (agent) => send(agent, '/health/live'));
      return (await answeredBy('1')) && (await answeredBy('2'));
    });
    // Metrics leave out a process that does not respond within a second.
    await eventually(async () => {
      const text = await metrics();
      return ['1', '2'].every((number) =>
        new RegExp(`^nodejs_eventloop_lag_p99_seconds\\{process="${number}"\\} `, 'm').test(text),
      );
    });
  });

  test('runs one worker, in the first process', async () => {
    const text = await metrics();
    const poolOf = (process: number) =>
      `guildhall_database_connections_max{pool="background",process="${process}"}`;
    assert.ok(text.includes(poolOf(1)), text);
    assert.ok(!text.includes(poolOf(2)));
  });

  test('admits exactly the requests of a key, as one process does', async () => {
    const { accessToken: bearer, at } = await arrangeTenant(server.url);
    const body = { name: 'limited', rateLimit: { perMinute: 60 } };
    const { key } = await accepted('POST', `${server.url}${at}/game-keys`, { body, bearer }, 201);
    const exists = (agent: Agent) =>
      send(
        agent,
        '/api/player-auth/players/exists',
        { provider: 'Mock', providerUserId: 'nobody' },
        { 'x-game-key': key },
      );
    assert.deepEqual(await flood(100, exists), { 404: 60, 429: 40 });
    assert.deepEqual(await flood(10, exists), { 429: 10 });
  });

  test('admits exactly the wrong passwords of an account, as one process does', async () => {
    const logIn = (agent: Agent) =>
      send(agent, '/api/saas-auth/login', { email: 'nobody@example.com', password: 'a wrong password' });
    assert.deepEqual(await flood(30, logIn), { 401: 10, 429: 20 });
  });

  test('replaces a killed process, and the other one continues', async () => {
    const old = serving();
    const traffic = load('/health/ready', 1);
    const before = traffic.answered();
    process.kill(old[1]!, 'SIGKILL');
    await replaced(old, 1);
    await eventually(() => traffic.answered() > before + 20);
    // A request that runs in the killed process, and a connection that it gets before its end is noticed.
    assert.ok((await traffic.stop()).length <= 2, 'only requests that the killed process has fail');
    assert.ok(serving().includes(old[0]!));
    assert.match(await metrics(), /^guildhall_process_restarts_total\{process="2"\} 1$/m);
    assert.match(
      server.output(),
      /"process":2,"nextAttemptInSeconds":1,"msg":"a serving process was ended by SIGKILL"/,
    );
  });

  test('replaces a process that does not respond for 30 seconds', async () => {
    const old = serving();
    const stopped = old[1]!;
    process.kill(stopped, 'SIGSTOP');
    await replaced(old, 1);
    assert.ok(!serving().includes(stopped));
    assert.match(server.output(), /"msg":"a serving process has not responded for 30 s"/);
  });

  test('SIGUSR2 replaces all processes without a refused request', async () => {
    const old = serving();
    const traffic = load('/health/ready', 8);
    await eventually(() => traffic.answered() > 50);
    server.child.kill('SIGUSR2');
    await replaced(old, 2);
    await eventually(() => server.output().includes('all processes were replaced'));
    const after = traffic.answered();
    await eventually(() => traffic.answered() > after + 50);
    assert.deepEqual(await traffic.stop(), []);
  });

  test('leaves one process for each number if one dies while it is replaced', async () => {
    const old = serving();
    const started = () => serving().filter((pid) => !old.includes(pid));
    server.child.kill('SIGUSR2');
    await eventually(() => started().length === 1);
    const [replacement] = started();
    // It does not answer before the process that is started for the killed one.
    process.kill(replacement!, 'SIGSTOP');
    process.kill(old[0]!, 'SIGKILL');
    await eventually(() => started().length === 2);
    process.kill(replacement!, 'SIGCONT');
    await replaced(old, 2);
  });

  test('restarts a killed process after the primary had no file descriptors left', async () => {
    const old = serving();
    const primary = server.child.pid!;
    const limitFiles = (most: string) => execFileSync('prlimit', [`--pid=${primary}`, `--nofile=${most}:`]);
    const limits = execFileSync('prlimit', [`--pid=${primary}`, '--nofile', '--output=SOFT', '--noheadings']);
    limitFiles('10');
    process.kill(old[0]!, 'SIGKILL');
    await eventually(() => server.output().includes('"msg":"a serving process cannot start: '), 'an attempt');
    limitFiles(limits.toString().trim());
    await replaced(old, 1);
    assert.equal(server.child.exitCode, null, server.output());
  });

  test('serving processes without a file descriptor left refuse connections, and accept them again later', async () => {
    const limitFiles = (most: string) => {
      for (const pid of serving()) execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${most}:`]);
    };
    const limits = execFileSync('prlimit', [
      `--pid=${serving()[0]!}`,
      '--nofile',
      '--output=SOFT',
      '--noheadings',
    ]);
    limitFiles('1');
    await Promise.all(
      Array.from({ length: 4 }, () => {
        const refused = connect(Number(new URL(server.url).port)).resume();
        return once(refused, 'close', { signal: AbortSignal.timeout(10_000) });
      }),
    );
    limitFiles(limits.toString().trim());
    assert.deepEqual(await flood(20, (agent) => send(agent, '/health/live')), { 200: 20 });
  });

  test('SIGTERM for one serving process replaces it without a refused request', async () => {
    const old = serving();
    const traffic = load('/health/ready', 8);
    process.kill(old[0]!, 'SIGTERM');
    await replaced(old, 1);
    assert.deepEqual(await traffic.stop(), []);
  });

  test('all processes know the demo of the first start', async () => {
    const printed = (pattern: RegExp) => pattern.exec(server.output())?.[1] ?? '';
    const key = printed(/^ *GAME_KEY=(\S+)$/m);
    const logIn = (agent: Agent) =>
      send(
        agent,
        '/api/player-auth/login',
        { provider: 'Mock', token: 'mock:ada:secret' },
        { 'x-game-key': key },
      );
    assert.deepEqual(await flood(10, logIn), { 200: 10 });
    const page = printed(/^ *(http\S+\/docs\/\?demo=\w+)$/m);
    const pages = Array.from({ length: 10 }, () => fetch(page, { headers: { connection: 'close' } }));
    for (const answer of await Promise.all(pages)) assert.ok((await answer.text()).includes(key));
  });

  test('the serving processes end if the primary process is killed, and the next start uses its PostgreSQL and restarts it', async () => {
    const old = serving();
    const postgres = postgresOf(folder.path);
    await server.end('SIGKILL');
    await eventually(() => old.filter(isAlive).length === 0);
    server = await startServer({ dataDir: folder.path, processes: 2, env: { LOG_LEVEL: 'info' } });
    assert.equal(postgresOf(folder.path), postgres);
    process.kill(postgres!, 'SIGKILL');
    await eventually(
      () => ![undefined, postgres].includes(postgresOf(folder.path)),
      'PostgreSQL is restarted',
    );
  });

  test('SIGTERM stops all processes and PostgreSQL', async () => {
    const old = serving();
    assert.equal(await server.end('SIGTERM'), 0, server.output());
    assert.deepEqual(old.filter(isAlive), []);
    assert.equal(postgresOf(folder.path), undefined);
    assert.match(server.output(), /"msg":"stopping"[^]+"msg":"stopped"/);
  });

  test('prints one sentence for a setting that is wrong', async () => {
    const failing = startServer({ dataDir: folder.path, processes: 2, env: { HOST: '192.0.2.1' } });
    await assert.rejects(
      failing,
      /The server ended: HOST 192\.0\.2\.1 is not an address of this machine\.[^\n]+\n$/,
    );
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
