import assert from 'node:assert/strict';

/** The parts of a request that differ between tests. */
export interface RequestParts {
  /** Sent as JSON. */
  body?: unknown;
  gameKey?: string | undefined;
  bearer?: string | undefined;
  headers?: Record<string, string>;
}

/** A whole response. The body is the value of its JSON, otherwise its text. */
export interface Answer {
  status: number;
  headers: Headers;
  body: any; // oxlint-disable-line typescript/no-explicit-any -- tests read responses of any shape
}

/** A player who is signed in. */
export interface SignedIn {
  playerId: string;
  tenantId: string;
  sessionId: string;
  accessToken: string;
  refreshToken: string;
  isNewPlayer: boolean;
}

/** Sends a request, and reads the whole response. */
export async function call(
  method: string,
  url: string,
  { body, gameKey, bearer, headers }: RequestParts = {},
): Promise<Answer> {
  const answer = await fetch(url, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(gameKey && { 'x-game-key': gameKey }),
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  // NDJSON stays a text.
  const isJson = /\bjson\b/.test(answer.headers.get('content-type') ?? '');
  return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
}

/** Sends a request that must succeed, with this status if one is given. Returns the body of its response. */
export async function accepted(
  method: string,
  url: string,
  parts?: RequestParts,
  expected?: number,
): Promise<Answer['body']> {
  const { status, body } = await call(method, url, parts);
  const isRight = expected === undefined ? status < 300 : status === expected;
  assert.ok(isRight, `${method} ${url}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Signs a player in with Mock. */
export function signIn(url: string, gameKey: string, username = 'ada'): Promise<SignedIn> {
  const body = { provider: 'Mock', token: `mock:${username}:secret` };
  return accepted('POST', `${url}/api/player-auth/login`, { gameKey, body }, 200);
}
