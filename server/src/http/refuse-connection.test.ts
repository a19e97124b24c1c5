import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import Fastify from 'fastify';
import { refuseConnection } from './refuse-connection.ts';

test('bytes that are not HTTP put no problem document into a response that has begun', async () => {
  const app = Fastify({ clientErrorHandler: refuseConnection });
  after(() => app.close());
  const body = new PassThrough();
  app.get('/', (_request, reply) => reply.header('content-length', 600).send(body));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };

  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => (received += String(text)));
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  body.write('x'.repeat(100));
  while (!received.endsWith('x')) await once(socket, 'data');
  socket.write('not HTTP\r\n\r\n');
  await once(socket, 'close');
  assert.doesNotMatch(received, /400/);
});
