import assert from 'node:assert/strict';
import type { App } from '../http/server.ts';

/** A response. Its body is parsed if it is JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read responses of any shape
export interface Answer<Body = any> {
  status: number;
  headers: Headers;
  body: Body;
  text: string;
}

/** The credentials and headers of a request. */
export interface Caller {
  gameKey?: string;
  apiKey?: string;
  bearer?: string;
  headers?: Record<string, string>;
}

/** Returns the request headers of a caller. Its `headers` override the credentials. */
export const headersOf = ({ gameKey, apiKey, bearer, headers }: Caller): Record<string, string> => ({
  ...(gameKey && { 'x-game-key': gameKey }),
  ...(apiKey && { 'x-api-key': apiKey }),
  ...(bearer && { authorization: `Bearer ${bearer}` }),
  ...headers,
});

export interface HttpClient {
  get(path: string, caller?: Caller): Promise<Answer>;
  post(path: string, body?: unknown, caller?: Caller): Promise<Answer>;
  put(path: string, body?: unknown, caller?: Caller): Promise<Answer>;
  patch(path: string, body?: unknown, caller?: Caller): Promise<Answer>;
  delete(path: string, caller?: Caller): Promise<Answer>;
  /** Sends a body unchanged, as JSON or as a form. */
  raw(
    method: string,
    path: string,
    body: string | Buffer | FormData | undefined,
    caller?: Caller,
  ): Promise<Answer>;
}

type Body = string | Buffer | FormData | undefined;

/** Creates an HTTP client for a base URL. An undefined body is not sent. */
export function httpClient(base: string): HttpClient {
  return clientOf((method, path, body, headers) =>
    fetch(base + path, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body: body as string }),
    }),
  );
}

/** Creates a client that hands its requests to an application, without a connection. */
export function injectClient(app: App): HttpClient {
  return clientOf(async (method, path, body, headers) => {
    const answer = await app.inject({
      method: method as 'GET',
      url: path,
      headers,
      ...(body !== undefined && { payload: body as string }),
    });
    const { statusCode: status } = answer;
    return new Response([204, 304].includes(status) ? null : answer.body, {
      status,
      headers: answer.headers as Record<string, string>,
    });
  });
}

function clientOf(
  request: (method: string, path: string, body: Body, headers: Record<string, string>) => Promise<Response>,
): HttpClient {
  const send = async (method: string, path: string, body: Body, caller: Caller = {}): Promise<Answer> => {
    const response = await request(method, path, body, {
      ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
      ...headersOf(caller),
    });
    const text = await response.text();
    const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '');
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
    if (response.headers.get('content-type') === 'application/problem+json' && method !== 'HEAD')
      assertProblem(answer);
    return answer;
  };
  const json = (body: unknown) => (body === undefined ? undefined : JSON.stringify(body));
  return {
    get: (path, caller) => send('GET', path, undefined, caller),
    post: (path, body, caller) => send('POST', path, json(body), caller),
    put: (path, body, caller) => send('PUT', path, json(body), caller),
    patch: (path, body, caller) => send('PATCH', path, json(body), caller),
    delete: (path, caller) => send('DELETE', path, undefined, caller),
    raw: send,
  };
}

/** Checks every problem document in every test. */
export function assertProblem({ status, headers, body }: Answer): void {
  for (const member of ['type', 'title', 'detail', 'instance', 'code', 'requestId'])
    assert.ok(
      typeof body?.[member] === 'string' && body[member] !== '',
      `a problem has ${member}: ${body?.code}`,
    );
  assert.deepEqual([body.status, body.requestId], [status, headers.get('x-request-id')]);
  assert.equal(headers.has('www-authenticate'), status === 401, 'a 401 names the credentials');
}
