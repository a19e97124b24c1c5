import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { serveOnLoopback } from '../loopback-server.ts';

/** The failure modes of a server. */
export type Failure =
  /** No failure. */
  | 'never'
  /** It returns 500. */
  | 'broken'
  /** It returns 200 with an HTML page of a proxy. */
  | 'page'
  /** It closes the connection in the middle of a response. */
  | 'half'
  /** It accepts the request and never responds. */
  | 'hang'
  /** It returns this response. */
  | { status: number; body: string };

/** A fake external server on loopback. */
export interface StandIn {
  url: string;
  /** Every request that reached it, including failed ones. */
  requests: { url: URL; headers: IncomingMessage['headers'] }[];
  fail(how: Failure): void;
}

/** Starts a server for the tests of a file and stops it after them. */
export async function startStandIn(
  answer: (request: URL, response: ServerResponse, headers: IncomingMessage['headers']) => unknown,
): Promise<StandIn> {
  let failure: Failure = 'never';
  const requests: StandIn['requests'] = [];
  const respond: RequestListener = (request, response) => {
    const url = new URL(request.url ?? '', standIn.url);
    requests.push({ url, headers: request.headers });
    if (failure === 'never') answer(url, response, request.headers);
    else if (failure === 'broken') response.writeHead(500).end('Internal Server Error');
    else if (failure === 'page') sendPage(response, 200, 'Down for maintenance');
    else if (failure === 'half') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"response":', () => response.destroy());
    } else if (failure !== 'hang') response.writeHead(failure.status).end(failure.body);
  };
  const standIn = {
    url: await serveOnLoopback(respond, { maxHeaderSize: 32_768 }),
    requests,
    fail: (how: Failure) => {
      failure = how;
    },
  };
  return standIn;
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' }).end(JSON.stringify(body));
}

export function sendPage(response: ServerResponse, status: number, title: string): void {
  response
    .writeHead(status, { 'content-type': 'text/html; charset=UTF-8' })
    .end(`<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`);
}
