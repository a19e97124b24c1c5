import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { serveOnLoopback } from '../loopback-server.ts';

/** How a server can fail to do its work. */
export type Failure =
  /** It does its work. */
  | 'never'
  /** It answers 500. */
  | 'broken'
  /** It answers 200 with the page of something in front of it. */
  | 'page'
  /** It breaks the connection off in the middle of an answer. */
  | 'half'
  /** It takes the request and says nothing, ever. */
  | 'hang'
  /** It answers with something of its own invention. */
  | { status: number; body: string };

/** A server on the loopback that stands in for one outside. */
export interface StandIn {
  url: string;
  /** Every request that reached it, its failures included. */
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
