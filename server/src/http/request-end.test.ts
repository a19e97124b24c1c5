import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import { abortSignalOf } from './abort-signal.ts';
import { INCOMPLETE, observeRequestEnds, type RequestEnd } from './request-end.ts';

/** Starts a server, and returns the ends of its requests in their order. */
async function startServer(context: TestContext, addRoutes: (app: FastifyInstance) => void) {
  const app = Fastify();
  observeRequestEnds(app);
  const ends: RequestEnd[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  app.onRequestEnd((_request, _reply, requestEnd) => {
    ends.push(requestEnd);
    end();
  });
  addRoutes(app);
  await app.listen({ port: 0, host: '127.0.0.1' });
  context.after(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const openRequest = (): Socket =>
    connect(port, '127.0.0.1')
      .on('error', () => {})
      .setNoDelay();
  return {
    statuses: () => ends.map(({ status }) => status),
    ended,
    /** Sends a request without waiting for its response. */
    send() {
      const socket = openRequest();
      socket.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
      return socket;
    },
  };
}

test('a response has its status, even if a hook refuses the request', async (context) => {
  const server = await startServer(context, (app) => {
    app.addHook('onRequest', async (_request, reply) => reply.code(503).send());
    app.get('/', async () => ({}));
  });
  await once(server.send(), 'data');
  await server.ended;
  assert.deepEqual(server.statuses(), [503]);
});

test('a request is incomplete if its client disconnects before the response', async (context) => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const server = await startServer(context, (app) =>
    app.get('/', async (_request, reply) => {
      begin();
      await once(reply.raw, 'close');
      return {};
    }),
  );
  const socket = server.send();
  await begun;
  socket.destroy();
  await server.ended;
  assert.deepEqual(server.statuses(), [INCOMPLETE]);
});

test('a stream that stays open has its status when the client disconnects', async (context) => {
  const server = await startServer(context, (app) =>
    app.get('/', { config: { staysOpen: true } }, (_request, reply) => {
      reply.hijack();
      reply.raw.write('event');
    }),
  );
  const socket = server.send();
  await once(socket, 'data');
  socket.destroy();
  await server.ended;
  assert.deepEqual(server.statuses(), [200]);
});

test('the signal of a request is aborted if its client has disconnected before the handler', async (context) => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: signal, resolve: handle } = Promise.withResolvers<AbortSignal>();
  const server = await startServer(context, (app) => {
    app.addHook('preHandler', async (_request, reply) => {
      begin();
      await once(reply.raw, 'close');
    });
    app.get('/', async (_request, reply) => {
      handle(abortSignalOf(reply));
      return {};
    });
  });
  const socket = server.send();
  await begun;
  socket.destroy();
  assert.equal((await signal).aborted, true);
});
