import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { arrangePlayer, arrangeTenant } from '../testing/arrange.ts';
import { startTestApp } from '../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const player = await arrangePlayer(app, tenant);
const game = { gameKey: tenant.gameKey };

const LOGIN = '/api/player-auth/login';
const loginBody = JSON.stringify({ provider: 'Mock', token: 'mock:ada:secret' });
const send = (body: string | Buffer, headers: Record<string, string> = {}) =>
  app.http.raw('POST', LOGIN, body, { ...game, headers });

/** Writes raw bytes to a connection, and returns everything it receives until the server or the test closes the connection. */
async function exchange(bytes: string, closeAfterMs = 60_000): Promise<string> {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (data) => (answer += data.toString()));
  socket.on('error', () => {});
  socket.write(bytes);
  const timer = setTimeout(() => socket.destroy(), closeAfterMs);
  await once(socket, 'close');
  clearTimeout(timer);
  return answer;
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
const isAlive = async () => assert.equal((await app.http.get('/health/live')).status, 200);

describe('error responses', () => {
  test('are problem documents with the request id', async () => {
    const answer = await send('{"provider": 5}');
    assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    const { requestId, detail, errors, ...rest } = answer.body;
    assert.deepEqual(rest, {
      type: 'urn:guildhall:problem:invalid_request',
      title: 'The request is not valid',
      status: 400,
      instance: LOGIN,
      code: 'invalid_request',
    });
    assert.equal(requestId, answer.headers.get('x-request-id'));
    assert.match(detail, /^The body is not valid: /);
    assert.deepEqual(Object.keys(errors[0]), ['path', 'message']);
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  });
});

describe('validation errors', () => {
  const post = async (body: unknown, path = LOGIN) => {
    const answer = await app.http.post(path, body, game);
    assert.equal(answer.status, 400, answer.text);
    return answer.body as { detail: string; errors: { path: string; message: string }[] };
  };

  test('name the member, the limit or the accepted values', async () => {
    const login = { provider: 'Mock', token: 'mock:ada:secret' };
    const deviceInfo = { deviceFingerprint: 'x'.repeat(16) };
    for (const [body, path, message] of [
      [{}, 'provider', 'is missing'],
      [{ ...login, token: '' }, 'token', 'must not be empty'],
      [{ ...login, token: 5 }, 'token', 'must be a string'],
      [{ ...login, createAccountIfMissing: 'true' }, 'createAccountIfMissing', 'must be true or false'],
      [{ ...login, profileVisibility: 'open' }, 'profileVisibility', 'must be private, limited or full'],
      [{ ...login, deviceInfo: {} }, 'deviceInfo.deviceFingerprint', 'is missing'],
      [
        { ...login, deviceInfo: { deviceFingerprint: 'x' } },
        'deviceInfo.deviceFingerprint',
        'must have at least 16 characters',
      ],
      [
        { ...login, deviceInfo: { ...deviceInfo, osVersion: 'x'.repeat(65) } },
        'deviceInfo.osVersion',
        'must have at most 64 characters',
      ],
      [{ ...login, deviceInfo: { ...deviceInfo, metadata: [] } }, 'deviceInfo.metadata', 'must be an object'],
    ] as const) {
      const { detail, errors } = await post(body);
      assert.deepEqual(errors, [{ path, message }]);
      assert.equal(detail, `The body is not valid: ${path} ${message}.`);
    }
    const players = [{ playerId: 'ada' }];
    assert.deepEqual((await post({ players }, '/api/game/matches')).errors, [
      { path: 'players.0.playerId', message: 'must be a UUID' },
    ]);
    const code = { email: 'ada@example.com', code: '1' };
    assert.deepEqual((await post(code, '/api/player-auth/otc/exchange')).errors, [
      { path: 'code', message: 'must be six digits' },
    ]);
    assert.deepEqual((await post({ address: '0x12' }, '/api/player-auth/wallet/challenge')).errors, [
      { path: 'address', message: 'must be 0x and 40 hexadecimal digits' },
    ]);
    const challenge = { provider: 'Mock', subject: 'ada' };
    assert.equal((await post(challenge, '/api/player-auth/challenge')).errors[0]!.path, 'provider');
  });

  test('say what the whole body or a parameter must be', async () => {
    assert.equal((await post([])).detail, 'The body must be an object.');
    const answer = await app.http.get('/api/player/sessions/history?pageSize=201', player.caller);
    assert.equal(answer.body.detail, 'The query is not valid: pageSize must be at most 200.');
    const keyed = await app.http.post(
      '/api/game/matches',
      { players: [{ playerId: player.playerId }] },
      { ...game, headers: { 'idempotency-key': 'short' } },
    );
    assert.equal(
      keyed.body.detail,
      'The header is not valid: idempotency-key must have at least 8 characters.',
    );
  });

  test('name an unknown member, with at most 64 characters', async () => {
    const query = { scope: 'player', from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' };
    for (const [body, path] of [
      [{ ...query, groupby: ['eventKey'] }, 'groupby'],
      [{ ...query, where: { ['x'.repeat(50_000)]: 1 } }, `where.${'x'.repeat(64)}`],
    ] as const) {
      const answer = await app.http.post(`/api/bus_tenants/${tenant.tenantId}/queries`, body, {
        apiKey: tenant.apiKey,
      });
      assert.equal(answer.status, 400);
      assert.deepEqual(answer.body.errors, [{ path, message: 'is unknown' }]);
      assert.equal(answer.body.detail, `The body is not valid: ${path} is unknown.`);
    }
  });
});

describe('request bodies', () => {
  test('returns 400 for a number beyond the range of a double', async () => {
    const match = (metadata: string) =>
      app.http.raw(
        'POST',
        '/api/game/matches',
        `{"players":[{"playerId":"${player.playerId}"}],"metadata":${metadata}}`,
        game,
      );
    assert.equal((await match('{"a":1.7e308,"b":[-1.7e+308]}')).status, 201);
    const long = '9'.repeat(210);
    assert.equal((await match(`{"a":${long.slice(1)}e+99}`)).status, 201);
    for (const number of ['1e400', '-1E+400', '1.5e0400', `1${'0'.repeat(309)}`, `-${long}e99`]) {
      const answer = await match(`{"a":[${number}]}`);
      assert.deepEqual(
        [number, answer.status, answer.body.errors],
        [number, 400, [{ path: 'metadata.a.0', message: 'is a number beyond 1.8e308' }]],
      );
    }
  });

  test('returns 400 for bodies that are not JSON or not UTF-8', async () => {
    for (const body of [
      '{',
      '{"a":1}}',
      "{'a':1}",
      '{"a":undefined}',
      'x',
      '{"a":1,}',
      '\u0000',
      '[1',
      '{"a":"\u0001"}',
      'NaN',
    ])
      assert.deepEqual([body, (await send(body)).body.code], [body, 'malformed_json']);
    for (const bytes of [
      [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d],
      [0x22, 0xc0, 0x80, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0xfe, 0xff, 0x00, 0x7b, 0x00, 0x7d],
    ])
      assert.equal((await send(Buffer.from(bytes))).body.code, 'malformed_json', String(bytes));
    const members = loginBody.slice(1, -1);
    for (const body of ['', 'null', '5', '"x"', '[]', '[{}]', 'true'])
      assert.equal((await send(body)).body.code, 'invalid_request', body);
    assert.equal((await send(`\ufeff${loginBody}`)).status, 200, 'a byte order mark is accepted');
    assert.equal(
      (await send(`{"provider":"StoreC",${members}}`)).status,
      200,
      'the last of two equal members wins',
    );
  });

  test('names the received and the accepted content type with 415', async () => {
    for (const [type, received] of [
      ['text/plain;charset=utf-8', 'does not accept the content type text/plain'],
      [`text/${'x'.repeat(200)}`, `does not accept the content type text/${'x'.repeat(59)}`],
      ['', 'needs a content type'],
    ] as const) {
      const { status, body: problem } = await send(loginBody, { 'content-type': type });
      assert.deepEqual(
        [status, problem.detail],
        [415, `This endpoint ${received}. Send the body as application/json.`],
      );
    }
  });

  test('ignores the content type of an empty body', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/json']) {
      const headers = { 'content-type': type, 'content-length': '0' };
      const withoutBody = '/api/player-portal-auth/storea/start';
      assert.equal((await app.http.raw('POST', withoutBody, '', { headers })).status, 422, type);
      const withOptionalBody = '/api/player-auth/jwt/validate';
      const { body } = await app.http.raw('POST', withOptionalBody, '', { ...player.caller, headers });
      assert.equal(body.code, 'wrong_token_scope', type);
      const missing = await send('', headers);
      assert.deepEqual([missing.status, missing.body.code], [400, 'invalid_request'], type);
    }
  });

  test('returns 415 for a compressed body', async () => {
    assert.equal((await send(loginBody, { 'content-encoding': 'Identity' })).status, 200);
    for (const [encoding, body] of [
      ['gzip', gzipSync(loginBody)],
      ['gzip, identity', loginBody],
      ['br', loginBody],
    ] as const) {
      const { status, body: problem } = await send(body, { 'content-encoding': encoding });
      assert.deepEqual([encoding, status, problem.code], [encoding, 415, 'unsupported_media_type']);
      assert.match(problem.detail, /Content-Encoding/);
    }
    const events = await app.http.raw('POST', '/api/game/events', gzipSync('[]'), {
      ...player.caller,
      headers: { 'content-encoding': 'gzip' },
    });
    assert.equal(events.status, 415);
  });

  test('validates the body for each content type that it accepts, and returns 400 or 415 for all others', async () => {
    const post = (path: string, contentTypes: string[], body: string, authorization = '') =>
      exchange(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Game-Key: ${tenant.gameKey}\r\n${authorization}` +
          contentTypes.map((type) => `Content-Type: ${type}\r\n`).join('') +
          `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      );
    const json = [
      'application/json',
      'application/json\t',
      'application/json ',
      '\tapplication/json',
      'APPLICATION/JSON',
      'Application/Json; Charset=UTF-8',
      'application/json;charset=utf-8',
      'application/json ; charset="utf-8"',
      'application/json\t;charset=utf-8',
      'application/json;',
      'application/json;charset=utf-16',
      'application/json; boundary=x; q=0',
    ];
    const others = [
      'application/jsonx',
      'application/jso',
      'xapplication/json',
      'application /json',
      'application/ json',
      'application',
      'application/',
      '/json',
      'text/json',
      'text/plain',
      'application/problem+json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json, text/plain',
      'application/json,application/json',
      'text/plain; application/json',
      '*/*',
      ';application/json',
      '',
      'application/json\u00a0',
    ];
    const bearer = `Authorization: Bearer ${player.accessToken}\r\n`;
    const routes: [path: string, good: string, goodStatus: number, bad: string, authorization?: string][] = [
      [LOGIN, loginBody, 200, '{"provider":"Mock","token":5}'],
      [
        '/api/player-auth/players/exists',
        '{"provider":"Mock","providerUserId":"nobody"}',
        404,
        '{"provider":"Mock","providerUserId":5}',
      ],
      ['/api/game/player-events', '{"events":[{}]}', 422, '{"events":{}}', bearer],
    ];
    for (const [path, good, goodStatus, bad, authorization] of routes) {
      for (const type of json) {
        assert.deepEqual(
          [path, type, statusOf(await post(path, [type], good, authorization))],
          [path, type, goodStatus],
        );
        assert.deepEqual(
          [path, type, statusOf(await post(path, [type], bad, authorization))],
          [path, type, 400],
        );
      }
      for (const type of others) {
        for (const body of [good, bad]) {
          const status = statusOf(await post(path, [type], body, authorization));
          assert.ok([400, 415].includes(status), `${path}, ${JSON.stringify(type)}: ${status}`);
        }
      }
      assert.equal(statusOf(await post(path, [], bad, authorization)), 415);
      for (const pair of [
        json.slice(0, 2),
        ['application/json', 'text/plain'],
        ['text/plain', 'application/json'],
      ])
        assert.ok([400, 415].includes(statusOf(await post(path, pair, bad, authorization))), String(pair));
    }
  });

  test('accepts the largest valid login, roster and results', async () => {
    const metadata = { é: 'é'.repeat(4000) };
    const escaped = (body: object) => JSON.stringify(body, null, 1).replace(/é/g, String.raw`\u00e9`);
    const login = await send(
      escaped({
        provider: 'Mock',
        token: 'mock:ada:secret',
        deviceInfo: { deviceFingerprint: 'x'.repeat(256), metadata },
        clientInfo: { platform: 'PC_Linux', metadata },
      }),
    );
    assert.equal(login.status, 200);
    const players = Array.from({ length: 1000 }, () => ({
      playerId: randomUUID(),
      loginSessionId: randomUUID(),
    }));
    const match = await app.http.raw('POST', '/api/game/matches', JSON.stringify({ players }, null, 2), {
      gameKey: tenant.gameKey,
    });
    assert.equal(match.status, 404);
    const results = Array.from({ length: 1000 }, () => ({
      matchPlayerId: randomUUID(),
      placement: 2 ** 31 - 1,
      score: Number.MIN_SAFE_INTEGER,
      outcome: '♞'.repeat(32),
    }));
    const recorded = await app.http.raw(
      'PUT',
      `/api/game/matches/${randomUUID()}/results`,
      JSON.stringify({ results }, null, 2).replace(/♞/g, String.raw`\u265e`),
      { gameKey: tenant.gameKey },
    );
    assert.equal(recorded.status, 404);
  });

  test('returns 413 above 64 KiB for a login and above 32 KiB for other bodies', async () => {
    const padded = (length: number) => {
      const body = `${loginBody.slice(0, -1)},"x":"`;
      return `${body}${'x'.repeat(length - body.length - 2)}"}`;
    };
    const limit = 64 * 1024;
    assert.equal((await send(padded(limit))).status, 200);
    const over = await send(padded(limit + 1));
    assert.deepEqual([over.status, over.body.code], [413, 'body_too_large']);
    const chunk = `${limit.toString(16)}\r\n${'x'.repeat(limit)}\r\n`;
    const head = `POST ${LOGIN} HTTP/1.1\r\nHost: x\r\nX-Game-Key: ${tenant.gameKey}\r\nContent-Type: application/json\r\n`;
    const chunked = await exchange(
      `${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}1\r\nx\r\n0\r\n\r\n`,
    );
    assert.equal(statusOf(chunked), 413, 'a chunked body is counted');
    const wrong = await app.http.raw('POST', LOGIN, padded(limit + 1), { gameKey: 'x' });
    assert.equal(wrong.status, 401, 'the credential is checked before the body');
    const refresh = (length: number) =>
      app.http.raw('POST', '/api/saas-auth/refresh', `{"refreshToken":"${'x'.repeat(length - 19)}"}`);
    assert.equal((await refresh(32 * 1024)).status, 400, 'a token has 512 characters at most');
    const tooLarge = await refresh(32 * 1024 + 1);
    assert.equal(tooLarge.status, 413);
    assert.equal((tooLarge.body as { detail: string }).detail, 'The body may be at most 32 KiB.');
    await isAlive();
  });
});

describe('paths and methods', () => {
  test('returns 404 for an unknown path, and 405 with Allow for an unsupported method', async () => {
    for (const path of [
      '/nothing',
      '//',
      '/api//player-auth/login',
      `${LOGIN}/`,
      LOGIN.toUpperCase(),
      '/api/player-auth',
    ])
      assert.deepEqual([path, (await app.http.get(path)).body.code], [path, 'not_found']);
    const { detail } = (await app.http.get('/v1/api/game/player')).body;
    assert.match(detail, /^The API has no such path\. Check the base URL, .+ `instance` .+ \/docs\.$/);
    for (const [method, path, allow] of [
      ['GET', LOGIN, 'POST'],
      ['PUT', LOGIN, 'POST'],
      ['DELETE', LOGIN, 'POST'],
      ['OPTIONS', LOGIN, 'POST'],
      ['POST', '/health/live', 'GET, HEAD'],
      ['OPTIONS', '/health/live', 'GET, HEAD'],
      ['POST', `/api/bus_tenants/${tenant.tenantId}/events?scope=match`, 'GET, HEAD'],
      ['PATCH', '/api/bus_tenants/x/providers/Mock', 'GET, HEAD, PUT'],
    ] as const) {
      const answer = await app.http.raw(method, path, undefined);
      assert.deepEqual(
        [method, path, answer.status, answer.headers.get('allow')],
        [method, path, 405, allow],
      );
      assert.equal(answer.body.code, 'method_not_allowed');
    }
    const head = await app.http.raw('HEAD', '/health/live', undefined);
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal((await app.http.raw('HEAD', LOGIN, undefined)).status, 405);
    assert.equal((await app.http.raw('HEAD', '/nothing', undefined)).status, 404);
    for (const method of ['TRACE', 'PROPFIND', 'LINK', 'QUERY'])
      assert.equal(
        statusOf(await exchange(`${method} ${LOGIN} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)),
        405,
      );
  });

  test('does not read the body of a request to an unknown path or with an unsupported method', async () => {
    for (const body of ['{', `"${'x'.repeat(40_000)}"`]) {
      assert.equal((await app.http.raw('POST', '/nothing', body)).status, 404);
      assert.equal((await app.http.raw('PUT', LOGIN, body)).status, 405);
    }
  });
});

describe('X-Request-Id', () => {
  test('returns a valid request id, and replaces an invalid one', async () => {
    for (const id of ['a', 'trace-1.2:3_4', 'x'.repeat(128)]) {
      const answer = await app.http.get('/nothing', { headers: { 'x-request-id': id } });
      assert.equal(answer.headers.get('x-request-id'), id);
      assert.equal(answer.body.requestId, id);
    }
    for (const id of ['', 'x'.repeat(129), 'a b', 'é', '<script>', 'a,b']) {
      const answer = await app.http.get('/health/live', { headers: { 'x-request-id': id } });
      assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/, id);
    }
  });
});

describe('URLs and queries', () => {
  test('returns 400 or 404 with a problem document for an invalid URL', async () => {
    const events = `/api/bus_tenants/${tenant.tenantId}/events?scope=player`;
    for (const [path, status] of [
      ['/%00', 400],
      ['/health/live%00', 400],
      ['/health/live?x=%00', 400],
      [`${events}&cursor=%00`, 400],
      ['/%zz', 400],
      ['/api/bus_tenants/%E0%A4%A/events', 400],
      ['/%ff', 400],
      ['/%ED%A0%80', 400],
      [`${events}&cursor=%ED%A0%80`, 400],
      [`${events}&cursor=%ff`, 400],
      [`${events}&limit=%`, 400],
      [`/api/bus_tenants/${'x'.repeat(257)}/events`, 404],
      [`/api/bus_tenants/${'%E2%99%9E'.repeat(80)}/events?scope=player`, 404],
      [`/api/bus_tenants/urn:uuid:${tenant.tenantId}/events?scope=player`, 404],
      [`/api/bus_tenants/%2e%2e%2f${tenant.tenantId}/events?scope=player`, 404],
      [`/${'x'.repeat(8_000)}`, 404],
      [`/health/live?${'x'.repeat(8_000)}`, 200],
      [`/health/live?${'a=1&'.repeat(2_000)}`, 200],
    ] as const) {
      const answer = await app.http.get(path, { apiKey: tenant.apiKey });
      assert.deepEqual([path.slice(0, 60), answer.status], [path.slice(0, 60), status]);
      assert.ok(answer.headers.get('x-request-id'));
      if (status !== 200) assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    }
  });

  test('coerces and validates query values', async () => {
    const events = (query: string) =>
      app.http.get(`/api/bus_tenants/${tenant.tenantId}/events?${query}`, { apiKey: tenant.apiKey });
    assert.equal((await events('scope=player&limit=5')).status, 200);
    for (const query of [
      '',
      'scope=both',
      'scope=player&limit=0',
      'scope=player&limit=-1',
      'scope=player&limit=1.5',
      'scope=player&limit=1e3x',
      'scope=player&limit=99999999999999999999',
      'scope=player&limit=NaN',
      'scope=player&limit=1&limit=2',
      'scope=player&scope=match',
      'scope=player&from=yesterday',
      'scope=player&from=2026-11-20T10:00:00',
      'scope=player&playerId=x',
      'scope[]=player',
    ]) {
      const answer = await events(query);
      assert.deepEqual([query, answer.status], [query, 400]);
    }
    const twice = (await events('scope=player&from=2026-11-20T10:00:00Z&from=2026-11-21T10:00:00Z')).body;
    assert.equal(twice.detail, 'The query is not valid: from must occur once.');
    for (const [query, name] of [
      ['scope=player&limit=5&limit=6', 'limit'],
      ['scope=player&scope=match', 'scope'],
    ] as const)
      assert.equal((await events(query)).body.detail, `The query is not valid: ${name} must occur once.`);
    assert.equal(
      (await events('scope=player&limit=x')).body.detail,
      'The query is not valid: limit must be an integer.',
    );
    assert.equal(
      (await events('scope=player&from=2026-11-20T10:00Z')).body.detail,
      'The query is not valid: from must be an ISO 8601 date and time with seconds and an offset (Z or +hh:mm), such as 2026-11-20T21:19:00Z.',
    );
    assert.equal((await events('scope=player&from=2026-11-20T10:00:00%2B0100')).status, 200);
    assert.equal((await events('scope=player&__proto__=x&constructor=y&unknown=z')).status, 200);
  });
});

describe('connections', () => {
  test('returns a problem document for bytes that are not HTTP, and keeps serving', async () => {
    const request = (line: string) => `${line}\r\nHost: x\r\nConnection: close\r\n\r\n`;
    for (const [bytes, status] of [
      ['GARBAGE\r\n\r\n', 400],
      ['GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
      [request('GET /health/live HTTP/1.1\r\nHost: y'), 400],
      [request('GET /health/live HTTP/9.9'), 400],
      [request('GET /health/live HTTP/1.1\r\nX-Bad\u0000: 1'), 400],
      [request('POST /x HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked'), 400],
      [request('POST /x HTTP/1.1\r\nContent-Length: -1'), 400],
      [`GET /health/live HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      [`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ] as const) {
      const answer = await exchange(bytes);
      assert.deepEqual([bytes.slice(0, 40), statusOf(answer)], [bytes.slice(0, 40), status]);
      const document = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
      assert.equal(document.status, status);
      assert.ok(document.detail);
      assert.match(answer, new RegExp(`X-Request-Id: ${document.requestId}`, 'i'));
      assert.match(answer, /Content-Type: application\/problem\+json/i);
    }
    assert.equal(statusOf(await exchange(request('GET /health/live HTTP/1.0'))), 200);
    assert.equal(statusOf(await exchange(request('GET /health/live HTTP/1.1\r\nExpect: more'))), 200);
    await isAlive();
  });

  test('keeps serving when clients disconnect early, send single bytes, or pipeline requests', async () => {
    const head = `POST ${LOGIN} HTTP/1.1\r\nHost: x\r\nX-Game-Key: ${tenant.gameKey}\r\nContent-Type: application/json\r\n`;
    const long = `${head}Content-Length: 1000\r\n\r\n`;
    await Promise.all([
      ...Array.from({ length: 20 }, () => exchange(`${long}{"pro`, 50)),
      ...Array.from({ length: 20 }, () => exchange(head, 50)),
      ...Array.from({ length: 20 }, () =>
        exchange(`${head}Content-Length: ${loginBody.length}\r\n\r\n${loginBody}`, 1),
      ),
    ]);
    await isAlive();

    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (data) => (answer += data.toString()));
    for (const letter of `${head}Connection: close\r\nContent-Length: ${loginBody.length}\r\n\r\n${loginBody}`) {
      socket.write(letter);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await once(socket, 'close');
    assert.equal(statusOf(answer), 200, 'sent one byte at a time');

    const two = await exchange(
      `GET /health/live HTTP/1.1\r\nHost: x\r\n\r\nGET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    assert.deepEqual(
      [...two.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => match[1]),
      ['200', '404'],
      'pipelined',
    );
  });
});
