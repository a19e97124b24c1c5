import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, test } from 'node:test';
import Fastify from 'fastify';
import { eventually } from '../../testing/eventually.ts';
import { limitPipelining } from './pipelining.ts';

/** Starts a server whose first response waits for `release`. Returns a connection to it. */
async function arrange() {
  const app = Fastify();
  limitPipelining(app);
  const { promise, resolve: release } = Promise.withResolvers<void>();
  let handled = 0;
  app.get('/slow', () => promise.then(() => 'slow'));
  app.get('/fast', async () => `fast ${++handled};`);
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  after(() => app.close());
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  let received = '';
  socket.on('data', (data) => (received += data.toString()));
  const send = (...paths: string[]) =>
    void socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
  const fast = (count: number) => Array<string>(count).fill('/fast');
  return { socket, send, fast, release, handled: () => handled, received: () => received };
}

describe('a connection', () => {
  test('answers 32 pipelined requests in their order, and then further ones', async () => {
    const { socket, send, fast, release, handled, received } = await arrange();
    send('/slow', ...fast(31));
    await eventually(() => handled() === 31);
    release();
    await eventually(() => received().endsWith('fast 31;'));
    send(...fast(32));
    await eventually(() => received().endsWith('fast 63;'));
    socket.destroy();
  });

  test('is closed at the 33rd request without a response, which is not handled', async () => {
    const { socket, send, fast, handled, received } = await arrange();
    const closed = once(socket, 'close');
    send('/slow', ...fast(1_000));
    await closed;
    assert.equal(handled(), 31);
    assert.equal(received(), '');
  });
});
