import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import { eventually } from '../../testing/eventually.ts';
import { cutStalledReaders } from './stalled-readers.ts';

const READ_WITHIN_MS = 200;

/** Starts a server with an endless response, a large one, and one that pauses for longer than the read timeout. */
async function serve() {
  const app = Fastify();
  cutStalledReaders(app, READ_WITHIN_MS);
  const state = { opened: 0, open: 0 };
  const endless = async function* () {
    state.opened++;
    state.open++;
    try {
      for (;;) yield 'x'.repeat(64 * 1024);
    } finally {
      state.open--;
    }
  };
  app.get('/endless', (_request, reply) => reply.send(Readable.from(endless())));
  app.get('/long', async (_request, reply) => {
    state.opened++;
    state.open++;
    reply.raw.once('close', () => state.open--);
    return 'x'.repeat(64 * 1024 * 1024);
  });
  const quiet = async function* () {
    yield 'first';
    await sleep(3 * READ_WITHIN_MS);
    yield 'last';
  };
  app.get('/quiet', (_request, reply) => reply.send(Readable.from(quiet())));
  const url = await app.listen({ port: 0 });
  after(() => app.close());
  return { url, state };
}

describe('a client that does not read its answer', () => {
  for (const path of ['/endless', '/long']) {
    test(`is disconnected, and its resources are released (${path})`, async () => {
      const { url, state } = await serve();
      const socket = connect(Number(new URL(url).port), 'localhost');
      socket.on('error', () => {});
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await once(socket, 'readable');
      assert.equal(state.opened, 1);
      await eventually(() => state.open === 0);
      socket.destroy();
    });
  }

  test('stays connected while the response has nothing to send', async () => {
    const { url } = await serve();
    assert.equal(await (await fetch(`${url}/quiet`)).text(), 'firstlast');
  });
});
