import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, test } from 'node:test';
import Fastify from 'fastify';
import { eventually } from '../testing/eventually.ts';
import { openTestStream } from '../testing/event-stream.ts';
import { sendEvents, type ServerSentEvent } from './event-stream.ts';

/** Starts a server whose only route streams these events. */
async function serveEvents(events: () => AsyncIterable<ServerSentEvent>, options = {}) {
  const app = Fastify();
  const closed = { count: 0 };
  app.get('/', (_request, reply) =>
    sendEvents(reply, { events: events(), close: () => closed.count++ }, options),
  );
  after(() => app.close());
  return { url: await app.listen({ port: 0 }), closed };
}
const never = () => new Promise<never>(() => {});

describe('sendEvents', () => {
  test('sends all events, ends the stream, and closes the source', async () => {
    const { url, closed } = await serveEvents(async function* () {
      yield { id: '1', event: 'first', data: { text: 'two\nlines' } };
      yield { event: 'second', data: null };
    });
    const stream = await openTestStream(url, {});
    assert.equal(stream.headers.get('content-type'), 'text/event-stream');
    assert.equal(stream.headers.get('cache-control'), 'no-store');
    await stream.ended;
    assert.deepEqual(stream.events, [
      { id: '1', event: 'first', data: { text: 'two\nlines' } },
      { event: 'second', data: null },
    ]);
    await eventually(() => closed.count === 1);
  });

  test('sends heartbeats while there are no events', async () => {
    const { url } = await serveEvents(
      async function* () {
        await never();
        yield { event: 'never', data: 0 };
      },
      { heartbeatMs: 20 },
    );
    const stream = await openTestStream(url, {});
    await eventually(() => stream.comments.length >= 3);
    stream.close();
  });

  test('closes the source when the client disconnects', async () => {
    const { url, closed } = await serveEvents(async function* () {
      yield { event: 'hello', data: 0 };
      await never();
    });
    const stream = await openTestStream(url, {});
    await eventually(() => stream.events.length === 1);
    stream.close();
    await eventually(() => closed.count === 1);
  });

  test('ends the stream when the source fails', async () => {
    const { url, closed } = await serveEvents(async function* () {
      yield { event: 'hello', data: 0 };
      throw new Error('no more');
    });
    const stream = await openTestStream(url, {});
    await stream.ended;
    await eventually(() => closed.count === 1);
  });

  test('pauses the source and disconnects a client that does not read', async () => {
    let made = 0;
    let hasEnded = false;
    const { url, closed } = await serveEvents(
      async function* () {
        try {
          for (;;) yield { id: String(made++), event: 'much', data: 'x'.repeat(10_000) };
        } finally {
          hasEnded = true;
        }
      },
      { readWithinMs: 300 },
    );
    const socket = connect(Number(new URL(url).port), 'localhost');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.on('error', () => {});
    await once(socket, 'readable');
    await eventually(() => closed.count === 1);
    await eventually(() => hasEnded);
    assert.ok(made < 2_000, `${made * 10} kB were created that no client reads`);
    socket.destroy();
  });
});
