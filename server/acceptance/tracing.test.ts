import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { arrangeTenant } from './arrange.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { call, type SignedIn } from './http.ts';
import { dataFolder, exitOf, spawnCommand, startServer, type ServerProcess } from './server-process.ts';

const folder = dataFolder();
after(() => folder.remove());

interface Collected {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A span in the JSON of OTLP. */
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code?: number };
}

/** A collector for OTLP over HTTP. With `isHanging` it accepts requests and never answers. */
async function startCollector({ isHanging = false } = {}) {
  const collected: Collected[] = [];
  let isAway = isHanging;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      collected.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) });
      if (!isAway) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const exports = () => collected.map(({ body }) => JSON.parse(body.toString()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    collected,
    exports,
    spans: (): Span[] =>
      exports().flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
          scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
  };
}

/** Starts a server that traces. It sends spans every 100 ms instead of every 5 seconds. */
async function startTraced(endpoint: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServer({
    dataDir: folder.path,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_SCHEDULE_DELAY: '100', LOG_LEVEL: 'warn', ...env },
  });
  after(() => server.child.kill('SIGKILL'));
  return server;
}

const stop = async (server: ServerProcess): Promise<void> => {
  const code = await server.end('SIGTERM');
  assert.equal(code, 0, server.output());
};

const attributesOf = ({ attributes }: Span): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const logIn = (
  url: string,
  gameKey: string,
  headers: Record<string, string> = {},
  secret = 'hunter2-secret',
) =>
  call('POST', `${url}/api/player-auth/login?hint=${secret}`, {
    gameKey,
    headers,
    body: { provider: 'Mock', token: `mock:ada:${secret}` },
  });

describe('a server with a collector', () => {
  const JSON_TRACES = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_SERVICE_NAME: 'chess-backend' };
  const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  let gameKey = '';

  test('sends a span for each request, with its statements and without secrets', async () => {
    const collector = await startCollector();
    const server = await startTraced(collector.url, {
      ...JSON_TRACES,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=abc',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    ({ gameKey } = await arrangeTenant(server.url));
    const id = 'request-of-the-test';
    const answer = await logIn(server.url, gameKey, { 'x-request-id': id, traceparent: parent });
    assert.equal(answer.status, 200);
    const login: SignedIn = answer.body;
    const refused = await logIn(server.url, gameKey, { 'x-request-id': 'refused' }, 'another-secret');
    assert.equal(refused.status, 401);
    await fetch(`${server.url}/health/ready`);
    const find = (requestId: string) =>
      collector.spans().find((span) => attributesOf(span)['guildhall.request_id'] === requestId);
    await eventually(() => find('refused') !== undefined);
    const span = find(id)!;
    assert.equal(span.name, 'POST /api/player-auth/login');
    assert.equal(span.kind, 2);
    assert.deepEqual(attributesOf(span), {
      'http.request.method': 'POST',
      'http.route': '/api/player-auth/login',
      'http.response.status_code': 200,
      'guildhall.operation': 'logInPlayer',
      'guildhall.request_id': id,
      'guildhall.tenant_id': login.tenantId,
    });
    assert.equal(attributesOf(find('refused')!)['error.type'], 'invalid_credentials');
    // Anybody could name a trace, and so have requests sampled.
    assert.notEqual(span.traceId, parent.split('-')[1]);
    assert.equal(span.parentSpanId ?? '', '');

    const statements = () => collector.spans().filter(({ parentSpanId }) => parentSpanId === span.spanId);
    await eventually(() => statements().length > 0);
    for (const statement of statements()) {
      const attributes = attributesOf(statement);
      assert.equal(statement.traceId, span.traceId);
      assert.equal(attributes['db.system.name'], 'postgresql');
      assert.match(String(attributes['db.query.text']), /\$1/);
    }

    await stop(server);
    const [first] = collector.exports();
    const resource = attributesOf(first.resourceSpans[0].resource);
    assert.equal(resource['service.name'], 'chess-backend');
    assert.equal(resource['deployment.environment.name'], 'test');
    assert.equal(collector.collected[0]?.path, '/v1/traces');
    assert.equal(collector.collected[0]?.headers['x-collector-key'], 'abc');
    const sent = collector.collected.map(({ body }) => body.toString()).join('');
    assert.ok(!sent.includes('/health/'), 'health checks are not traced');
    for (const secret of [
      gameKey,
      login.accessToken,
      login.refreshToken,
      'hunter2-secret',
      'another-secret',
      'x-collector-key',
    ])
      assert.ok(!sent.includes(secret), secret);
  });

  test('continues the trace of a trusted proxy, and obeys the sampler', async () => {
    const collector = await startCollector();
    const server = await startTraced(collector.url, {
      ...JSON_TRACES,
      TRUST_PROXY: '127.0.0.1',
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    });
    await logIn(server.url, gameKey, { 'x-request-id': 'unsampled' });
    await logIn(server.url, gameKey, { 'x-request-id': 'sampled', traceparent: parent });
    await eventually(() => collector.spans().length > 0);
    await stop(server);
    const requests = collector.spans().filter(({ kind }) => kind === 2);
    assert.deepEqual(
      requests.map((span) => [
        attributesOf(span)['guildhall.request_id'],
        span.traceId,
        span.parentSpanId ?? '',
      ]),
      [['sampled', ...parent.split('-').slice(1, 3)]],
    );
  });

  test('sends protobuf by default, and its last spans when it stops', async () => {
    const collector = await startCollector();
    const server = await startTraced(collector.url, { OTEL_BSP_SCHEDULE_DELAY: '600000' });
    await logIn(server.url, gameKey, { 'x-request-id': 'last-of-all' });
    await stop(server);
    const [sent] = collector.collected;
    assert.equal(sent?.headers['content-type'], 'application/x-protobuf');
    assert.ok(sent?.body.includes('last-of-all') && sent.body.includes('guildhall'));
  });

  for (const [name, endpoint] of [
    ['refuses connections', async () => `http://127.0.0.1:${await freePort()}`],
    ['never answers', async () => (await startCollector({ isHanging: true })).url],
  ] as const)
    test(`answers requests and stops while the collector ${name}`, async () => {
      const startedAt = performance.now();
      const server = await startTraced(await endpoint(), {
        OTEL_EXPORTER_OTLP_TIMEOUT: '500',
        OTEL_BSP_MAX_QUEUE_SIZE: '200',
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '100',
      });
      // More spans than the queue has room for.
      for (let round = 0; round < 6; round++) {
        const answers = await Promise.all(Array.from({ length: 100 }, () => logIn(server.url, gameKey)));
        assert.ok(answers.every(({ status }) => status === 200));
      }
      await eventually(() => server.output().includes('traces could not be sent'));
      const lines = server.output().match(/traces could not be sent/g)!.length;
      const seconds = (performance.now() - startedAt) / 1000;
      assert.ok(lines <= 1 + 3 * Math.ceil(seconds / 30), `3 lines in 30 s, not ${lines} in ${seconds} s`);
      await stop(server);
    });
});

describe('a server without a collector', () => {
  /** Prints how many built files with libraries of tracing the process has loaded. */
  const REPORT = `data:text/javascript,
    import { registerHooks } from 'node:module';
    let files = 0;
    registerHooks({
      load(url, context, next) {
        const module = next(url, context);
        if (/@opentelemetry.(sdk|exporter|otlp|context)/.test(module.source)) files++;
        return module;
      },
    });
    process.on('exit', () => console.log('loaded ' + files));`;
  const loaded = async (env: Record<string, string>): Promise<number> => {
    const server = await startServer({ dataDir: folder.path, env, nodeOptions: ['--import', REPORT] });
    await stop(server);
    return Number(/loaded (\d+)/.exec(server.output())?.[1]);
  };

  test('does not load the libraries of OpenTelemetry', async () => {
    const { url } = await startCollector();
    assert.equal(await loaded({}), 0);
    assert.ok((await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: url })) > 0);
  });

  test('names settings that it cannot use', async () => {
    const command = spawnCommand('serve', {
      dataDir: folder.path,
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4317',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
        OTEL_TRACES_SAMPLER_ARG: '2',
      },
    });
    assert.equal(await exitOf(command.child), 1);
    assert.match(
      command.output(),
      /OTEL_EXPORTER_OTLP_PROTOCOL must be http\/protobuf or http\/json, not "grpc"/,
    );
    assert.match(command.output(), /OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "2"/);
  });
});
