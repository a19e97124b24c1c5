import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { createAdminClient } from '../admin.ts';
import {
  createApiClient,
  createPlayerClient,
  createPortalClient,
  GuildhallError,
  type ApiClientOptions,
} from '../index.ts';
import { createServerClient } from '../server.ts';

const gameKey = 'gh_game_0';
const baseUrl = 'https://api.example';

/** Answers each request with its own address. */
const echo: typeof fetch = async (url) =>
  new Response(JSON.stringify(url), { headers: { 'content-type': 'application/json' } });
const read = (options: Partial<ApiClientOptions>) =>
  createApiClient({ baseUrl, fetch: echo, ...options }).GET('/api/health/ready' as '/api/saas-auth/me');

test('a client without options names what is missing', () => {
  for (const [create, message] of [
    [createPlayerClient, /^The gameKey is missing\./],
    [createServerClient, /^The gameKey is missing\./],
    [createPortalClient, /^The baseUrl is the address of the server/],
    [createAdminClient, /^The baseUrl is the address of the server/],
  ] as [() => unknown, RegExp][])
    assert.throws(() => create(), { name: 'TypeError', message });
});

describe('the address of the server', () => {
  test('may be a URL, and may have white space or slashes around it', async () => {
    for (const given of [new URL(baseUrl), new URL('/eu/', baseUrl), ` ${baseUrl}/ `, `${baseUrl}//\n`]) {
      const path = String(given).includes('/eu') ? '/eu' : '';
      assert.equal(await read({ baseUrl: given }), `${baseUrl}${path}/api/health/ready`);
      assert.equal(createPlayerClient({ baseUrl: given, gameKey }).baseUrl, baseUrl + path);
    }
  });

  test('must be a URL', () => {
    const error = { name: 'TypeError', message: /baseUrl is the address of the server/ };
    for (const wrong of [
      'api.example',
      '',
      ' ',
      'https://',
      'https://a b',
      'ftp://a',
      'http://a:99999',
      null,
    ])
      assert.throws(() => read({ baseUrl: wrong as string }), error, String(wrong));
  });

  test('must not be a path outside of a web page', async () => {
    await assert.rejects(read({ baseUrl: '/api', fetch }), { name: 'TypeError', message: /\/api/ });
  });
});

describe('an address that redirects', () => {
  test('is named in the error, because a redirect changes the method or drops the token', async (context) => {
    const server = createServer(({ url, method }, response) => {
      if (url!.startsWith('/old'))
        return response.writeHead(301, { location: url!.slice('/old'.length) }).end();
      response.writeHead(405, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code: 'method_not_allowed', detail: `No ${method}.` }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    context.after(() => server.close());
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { signIn } = createPlayerClient({ baseUrl: `${address}/old`, gameKey });
    await assert.rejects(signIn.sendCode('ada@example.com'), {
      code: 'method_not_allowed',
      message: `No GET. The request was redirected to ${address}/api/player-auth/email/otc. Check baseUrl.`,
    });
  });
});

describe('a request that cannot be sent', () => {
  test('is a TypeError, and is not sent again', async () => {
    let sent = 0;
    const counted: typeof fetch = async (...call) => {
      sent++;
      return fetch(...call);
    };
    const server = createServerClient({ baseUrl: 'http://127.0.0.1:9', gameKey, fetch: counted });
    const options = { idempotencyKey: 'price: 3 €' };
    await assert.rejects(server.matches.create({ players: [] }, options), { name: 'TypeError' });
    await assert.rejects(read({ fetch: counted, bearer: 'eyJ…' }), { name: 'TypeError' });
    assert.equal(sent, 0);
  });

  test('has no path parameter, or one that would make it the path of another operation', async () => {
    let sent = 0;
    const counted: typeof fetch = async (url) => (sent++, echo(url));
    const server = createServerClient({ baseUrl, gameKey, fetch: counted });
    for (const id of [undefined, null, '', '.', '..'])
      await assert.rejects(server.players.get(id as string), {
        name: 'TypeError',
        message: /path parameter playerId needs a value/,
      });
    assert.equal(sent, 0);
    assert.equal(await server.players.get('../a b'), `${baseUrl}/api/player-profiles/..%2Fa%20b`);
  });

  test('is refused when the client is created with the placeholder of a key', () => {
    for (const apiKey of ['gh_api_…', 'gh_game_0', '']) {
      const message = apiKey ? /apiKey must begin with gh_api_/ : /apiKey is missing/;
      const error = { name: 'TypeError', message };
      assert.throws(() => createApiClient({ baseUrl, apiKey }), error);
      assert.throws(() => createServerClient({ baseUrl, gameKey, apiKey }), error);
    }
    assert.throws(
      () => createApiClient({ baseUrl, gameKey: 'gh_game_…' }),
      /gameKey must begin with gh_game_/,
    );
  });
});

describe('an answer with status 200', () => {
  const answerWith = (type: string | undefined, body: string) =>
    createApiClient({
      baseUrl,
      fetch: async () => new Response(new Blob([body]), { headers: type ? { 'content-type': type } : {} }),
    });
  const params = { path: { tenantId: 'a' }, query: { scope: 'match' } } as const;

  test('is an error that names the address and the type, if no answer of the API has this type', async () => {
    for (const [type, named] of [
      ['text/html; charset=utf-8', 'text/html; charset=utf-8'],
      ['text/plain', 'text/plain'],
      [undefined, 'no content type'],
    ]) {
      const { GET } = answerWith(type, '<h1>Sign in</h1>');
      const expected = {
        name: 'GuildhallError',
        code: 'unexpected_answer',
        status: 0,
        message: `${baseUrl}/api/saas-auth/me answered with ${named}, which is not an answer of the API. Check baseUrl and the network.`,
      };
      await assert.rejects(GET('/api/saas-auth/me'), expected);
      for (const readAs of ['text', 'blob', 'response'] as const)
        await assert.rejects(GET('/api/saas-auth/me', { readAs }), expected, `${type} as ${readAs}`);
    }
    const { GET } = answerWith('text/html', '<h1>Sign in</h1>');
    await assert.rejects(GET('/api/bus_tenants/{tenantId}/events/export', { params }), {
      code: 'unexpected_answer',
    });
  });

  test('leaves no connection open if it does not come from the API', async (context) => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).write('<h1>Sign in</h1>');
    }).listen(0, '127.0.0.1');
    context.after(() => {
      server.closeAllConnections();
      server.close();
    });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { GET } = createApiClient({ baseUrl: `http://127.0.0.1:${port}` });
    const path = '/api/saas-auth/me';
    for (const ask of [() => GET(path), () => GET(path, { readAs: 'response' })]) {
      const answering = once(server, 'request') as Promise<[unknown, ServerResponse]>;
      await assert.rejects(ask(), { code: 'unexpected_answer' });
      const [, response] = await answering;
      if (!response.closed) await once(response, 'close', { signal: AbortSignal.timeout(20_000) });
    }
  });

  test('is text or binary data if the operation has no JSON', async () => {
    for (const type of ['text/csv; charset=utf-8', 'application/x-ndjson']) {
      const { GET } = answerWith(type, 'id\n1\n');
      assert.equal(await GET('/api/bus_tenants/{tenantId}/events/export', { params }), 'id\n1\n');
    }
    const empty = answerWith('text/csv; charset=utf-8', '');
    assert.equal(await empty.GET('/api/bus_tenants/{tenantId}/events/export', { params }), '');
    const metrics = answerWith('text/plain; version=0.0.4; charset=utf-8', 'up 1\n');
    assert.equal(await metrics.GET('/metrics'), 'up 1\n');
    const avatar = await answerWith('image/png', 'PNG').GET('/avatars/{name}', {
      params: { path: { name: 'a.png' } },
      readAs: 'blob',
    });
    assert.equal(await avatar.text(), 'PNG');
  });
});

test('an answer with status 204 is undefined, or an empty text if it is read as text', async () => {
  const { DELETE } = createApiClient({ baseUrl, fetch: async () => new Response(null, { status: 204 }) });
  const params = { path: { sessionId: 'a' } };
  assert.equal(await DELETE('/api/saas-auth/sessions/{sessionId}', { params }), undefined);
  assert.equal(await DELETE('/api/saas-auth/sessions/{sessionId}', { params, readAs: 'text' }), '');
});

describe('timeoutMs', () => {
  const slow: typeof fetch = async (url, init) => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    init!.signal!.throwIfAborted();
    return echo(url);
  };

  test('may be longer than a timer, or Infinity', async () => {
    for (const timeoutMs of [Infinity, 3e9])
      assert.equal(await read({ timeoutMs, fetch: slow }), `${baseUrl}/api/health/ready`);
  });

  test('applies to requests without a session too', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const hang: typeof fetch = (_url, init) =>
      new Promise((_resolve, reject) => init!.signal!.addEventListener('abort', () => reject(new Error())));
    const game = createPlayerClient({ baseUrl, gameKey, timeoutMs: 60_000, fetch: hang });
    for (const request of [() => game.getPlayer('ada'), () => game.signIn.sendCode('ada@example.com')]) {
      let isEnded = false;
      const ended = request()
        .catch((error: GuildhallError) => error.detail)
        .finally(() => (isEnded = true));
      await new Promise(setImmediate);
      context.mock.timers.tick(59_999);
      await new Promise(setImmediate);
      assert.equal(isEnded, false);
      context.mock.timers.tick(60_000);
      assert.match(String(await ended), /within 60 seconds/);
    }
  });

  test('must be above 0', () => {
    for (const timeoutMs of [0, -1, NaN])
      assert.throws(() => read({ timeoutMs }), { name: 'TypeError', message: /timeoutMs must be above 0/ });
  });
});

test('the error of a gateway has members of the declared types', async () => {
  const problem = { title: 'Invalid', detail: [{ msg: 'required' }], errors: { email: ['required'] } };
  const refuse: typeof fetch = async () => new Response(JSON.stringify(problem), { status: 400 });
  await assert.rejects(read({ fetch: refuse }), {
    code: 'unexpected_answer',
    detail: 'The server answered 400.',
    errors: [],
  });
});

describe('isUncertain', () => {
  for (const [code, status, isUncertain] of [
    ['network_error', 0, true],
    ['timeout', 0, true],
    ['unexpected_answer', 0, true],
    ['unexpected_answer', 502, true],
    ['unavailable', 503, true],
    ['unexpected_answer', 403, false],
    ['not_signed_in', 0, false],
    ['event_dropped', 0, false],
    ['rate_limited', 429, false],
  ] as const)
    test(`is ${isUncertain} for ${code} with the status ${status}`, () => {
      assert.equal(new GuildhallError({ code, status }).isUncertain, isUncertain);
    });
});

describe('a network error in a page', () => {
  const fail: typeof fetch = () => Promise.reject(new TypeError('Failed to fetch'));
  const page = 'http://localhost:5173';

  const openPage = (context: TestContext, origin: string) => {
    Object.assign(globalThis, { document: { baseURI: `${page}/game` }, self: { origin } });
    context.after(() => {
      for (const name of ['document', 'self']) Reflect.deleteProperty(globalThis, name);
    });
  };

  test('names CORS_ORIGINS and the origin of the page, if the server has another origin', async (context) => {
    openPage(context, page);
    const detail = /cannot be reached.*CORS_ORIGINS has http:\/\/localhost:5173, the origin of this page\.$/;
    await assert.rejects(read({ fetch: fail }), { code: 'network_error', detail });
    const here = await read({ fetch: fail, baseUrl: page }).catch((error: GuildhallError) => error.detail);
    assert.doesNotMatch(String(here), /CORS/);
  });

  test('says that a sandboxed frame has no origin', async (context) => {
    openPage(context, 'null');
    await assert.rejects(read({ fetch: fail }), {
      code: 'network_error',
      detail: /sandboxed frame.*CORS_ORIGINS to \*/,
    });
  });

  test('does not name CORS_ORIGINS outside of a web page', async () => {
    const detail = await read({ fetch: fail }).catch((error: GuildhallError) => error.detail);
    assert.ok(String(detail).startsWith(`The server cannot be reached at ${baseUrl}, or`), String(detail));
    assert.doesNotMatch(String(detail), /CORS/);
  });
});

describe('the signal of a caller', () => {
  test('keeps no listener of a stream that could not be opened', async () => {
    const { signal } = new AbortController();
    const refuse: typeof fetch = async () => {
      throw new TypeError('fetch failed');
    };
    const api = createApiClient({ baseUrl, fetch: refuse });
    for (let attempt = 0; attempt < 3; attempt++)
      await assert.rejects(
        api.GET('/api/notifications/stream' as '/api/saas-auth/me', { readAs: 'response', signal } as object),
        {
          code: 'network_error',
        },
      );
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });
});
