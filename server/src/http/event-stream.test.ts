import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import Fastify from 'fastify';
import { eventually } from '../testing/eventually.ts';
import { openTestStream } from '../testing/event-stream.ts';
import { sendEvents, type ServerSentEvent } from './event-stream.ts';

/** A server whose only answer is a stream of these events. */
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

test('events come one by one, the stream ends with them, and lets its source go', async () => {
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

test('a quiet stream shows signs of life', async () => {
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

test('its source is let go when the client leaves', async () => {
  const { url, closed } = await serveEvents(async function* () {
    yield { event: 'hello', data: 0 };
    await never();
  });
  const stream = await openTestStream(url, {});
  await eventually(() => stream.events.length === 1);
  stream.close();
  await eventually(() => closed.count === 1);
});

test('a source that fails breaks the stream off', async () => {
  const { url, closed } = await serveEvents(async function* () {
    yield { event: 'hello', data: 0 };
    throw new Error('no more');
  });
  const stream = await openTestStream(url, {});
  await stream.ended;
  assert.equal(closed.count, 1);
});

test('a client that does not read holds up its source, not the memory, and is dropped', async () => {
  let made = 0;
  const { url, closed } = await serveEvents(
    async function* () {
      for (;;) yield { id: String(made++), event: 'much', data: 'x'.repeat(10_000) };
    },
    { readWithinMs: 300 },
  );
  const socket = connect(Number(new URL(url).port), 'localhost');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  socket.on('error', () => {});
  await once(socket, 'readable');
  await eventually(() => closed.count === 1);
  const dropped = made;
  assert.ok(dropped < 2_000, `${dropped * 10} kB were made for nobody`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(made, dropped);
  socket.destroy();
});
