import type { ConnectionError } from 'fastify';
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ProblemError, type ProblemCode } from '../core/problem.ts';
import { problemDocument } from './problem-document.ts';
import { DISCARDED_BYTES, DISCARD_WITHIN_MS } from './traffic/unread-bodies.ts';

type Reason = [code: ProblemCode, detail?: string];

const REASONS: Record<string, Reason> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout'],
};
const NOT_HTTP: Reason = [
  'invalid_request',
  'The bytes on this connection are not valid HTTP/1.1. Check the client.',
];

/** The number of bytes that a refused connection had received. */
const refusedAt = new WeakMap<Socket, number>();

/** Whether a response has begun on a connection. The client would take a problem document for a part of its body. */
function isAnswering(socket: Socket): boolean {
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null };
  return response?.headersSent ?? false;
}

/**
 * Sends a problem document when the bytes on a connection are not HTTP or are incomplete, then closes the connection. The rest of
 * the request is discarded first, for the reason in `discardUnreadBodies`. If a response has begun, only closes the connection.
 */
export function refuseConnection(error: ConnectionError, socket: Socket): void {
  const before = refusedAt.get(socket);
  // Node reports each further part of the request as the same error.
  if (before !== undefined && error.code !== 'ECONNRESET') {
    if (socket.bytesRead - before > DISCARDED_BYTES) socket.destroy();
    return;
  }
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const problem = new ProblemError(...(REASONS[error.code] ?? NOT_HTTP));
  const { status } = problem;
  const requestId = randomUUID();
  const body = JSON.stringify(problemDocument(problem, { requestId }));
  refusedAt.set(socket, socket.bytesRead);
  const limit = setTimeout(() => socket.destroy(), DISCARD_WITHIN_MS).unref();
  socket.once('close', () => clearTimeout(limit));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\n\r\n${body}`,
  );
}
