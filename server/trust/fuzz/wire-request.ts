import { after } from 'node:test';
import { Pool } from 'undici';
import { someNetwork } from '../../src/testing/email-player.ts';
import { openTestStream } from '../../src/testing/event-stream.ts';
import type { Answer } from '../../src/testing/http-client.ts';
import { credentialHeaders, type SchemeName, type ValidRequest } from '../valid-request.ts';
import type { Operation, World } from '../world.ts';

/** The parts of a request, as they are sent. */
export interface WireRequest {
  /** The values of the path parameters, encoded. */
  path: Record<string, string>;
  /** The values of the query, encoded. A name may occur twice. */
  query: [name: string, value: string][];
  headers: Record<string, string>;
  body: string | Buffer | FormData | undefined;
}

/** A change of a request, which may make it invalid. */
export type Fault = (request: WireRequest) => WireRequest;

/** Encodes a valid request that has these of its credentials. */
export function wireRequestOf(request: ValidRequest, credentials: SchemeName[]): WireRequest {
  const { path, query, headers, body } = request;
  const encoded = (values: Record<string, string>) =>
    Object.entries(values).map(([name, value]): [string, string] => [name, encodeURIComponent(value)]);
  const picked = Object.fromEntries(credentials.map((scheme) => [scheme, request.credentials[scheme]]));
  return {
    path: Object.fromEntries(encoded(path)),
    query: encoded(query),
    headers: { ...headers, ...credentialHeaders(picked) },
    body: body === undefined || body instanceof FormData ? body : JSON.stringify(body),
  };
}

function targetOf({ path }: Operation, request: WireRequest): string {
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => request.path[name] ?? '');
  const query = request.query.map(([name, value]) => `${encodeURIComponent(name)}=${value}`).join('&');
  return query === '' ? target : `${target}?${query}`;
}

/** Sends a request of an operation. */
export type Send = (operation: Operation, request: WireRequest) => Promise<Answer>;

/** Opens connections to the server. Unlike `fetch`, they send the path as it is. */
export function openConnections({ app }: World): Send {
  const pool = new Pool(app.url, { connections: 32 });
  after(() => pool.close());
  return async (operation, request) => {
    const path = targetOf(operation, request);
    // Each request comes from another network, because networks have limits.
    const headers: Record<string, string> = { 'x-forwarded-for': someNetwork(), ...request.headers };
    if (typeof request.body === 'string') headers['content-type'] ??= 'application/json';
    if (operation.operationId === 'streamNotifications') {
      const stream = await openTestStream(app.url + path, { headers });
      stream.close();
      if (stream.status === 200) return { status: 200, headers: new Headers(), text: '', body: undefined };
    }
    let body = request.body ?? null;
    if (body instanceof FormData) {
      const form = new Response(body);
      headers['content-type'] ??= form.headers.get('content-type')!;
      body = Buffer.from(await form.arrayBuffer());
    }
    const answer = await pool.request({ method: operation.method, path, headers, body });
    const text = await answer.body.text();
    const answered = new Headers();
    for (const [name, value] of Object.entries(answer.headers))
      if (value !== undefined) answered.append(name, String(value));
    const isJson = /[/+]json/.test(answered.get('content-type') ?? '');
    return {
      status: answer.statusCode,
      headers: answered,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  };
}

const MOST_SHOWN = 4_000;

/** Writes a request with its answer, so that a reader can send it again. */
export function describeExchange(operation: Operation, request: WireRequest, answer: Answer): string {
  const { body } = request;
  return [
    `${operation.operationId}: ${operation.method} ${targetOf(operation, request)}`,
    ...Object.entries(request.headers).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...(typeof body === 'string' ? [`${body.length} characters: ${body.slice(0, MOST_SHOWN)}`] : []),
    `answer: ${answer.status} ${answer.text.slice(0, MOST_SHOWN)}`,
  ].join('\n');
}
