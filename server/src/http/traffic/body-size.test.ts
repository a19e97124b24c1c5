import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import multipart from '@fastify/multipart';
import Fastify, { type FastifyRequest } from 'fastify';
import { eventually } from '../../testing/eventually.ts';
import { countBodyBytes } from './body-size.ts';
import { observeRequestEnds } from '../request-end.ts';
import type { KeyCaller } from '../../core/callers.ts';

const BODY_LIMIT = 200_000;
const sizes: number[] = [];
let latest: FastifyRequest | undefined;
const app = Fastify({ bodyLimit: BODY_LIMIT });
app.decorateRequest('keyCaller', null);
// Verifies the key asynchronously, like a real credential.
app.addHook('onRequest', async (request) => {
  latest = request;
  await sleep(5);
  if (request.headers['x-game-key']) request.keyCaller = { keyId: 'key' } as KeyCaller;
});
observeRequestEnds(app);
countBodyBytes(app, (_key, bytes) => sizes.push(bytes));
await app.register(multipart);
app.get('/', async () => 'read');
app.post('/', async () => 'taken');
app.post('/refused', async (_request, reply) => reply.code(409).send('refused'));
app.post('/form', async (request) => String((await (await request.file())?.toBuffer())?.length));
const url = await app.listen({ port: 0 });
after(() => app.close());

/** Sends each packet separately, and waits for the response. */
async function exchange(...packets: string[]): Promise<string> {
  const socket = connect(Number(new URL(url).port), 'localhost');
  socket.setNoDelay(true);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => (answer += text));
  for (const packet of packets) {
    socket.write(packet);
    await sleep(10);
  }
  await eventually(() => answer.includes('\r\n\r\n'));
  socket.destroy();
  return answer;
}
const HEAD = 'Host: x\r\nX-Game-Key: x\r\nContent-Type: application/json\r\n';

async function countOf(work: () => Promise<unknown>): Promise<number[]> {
  sizes.length = 0;
  await work();
  await eventually(() => sizes.length > 0);
  return [...sizes];
}

describe('countBodyBytes', () => {
  test('counts a body that arrives whole or in parts, with its headers or later', async () => {
    const head = `POST / HTTP/1.1\r\n${HEAD}Content-Length: 10\r\n\r\n`;
    assert.deepEqual(await countOf(() => exchange(`${head}"12345678"`)), [10]);
    assert.deepEqual(await countOf(() => exchange(head, '"1234', '5678"')), [10]);
    assert.deepEqual(await countOf(() => exchange(`${head}"1`, '2345678"')), [10]);
  });

  test('counts a chunked body without its framing', async () => {
    const head = `POST / HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
    const sent = () => exchange(`${head}5\r\n"1234\r\n`, '5\r\n5678"\r\n0\r\n\r\n');
    assert.deepEqual(await countOf(sent), [10]);
  });

  test('counts all bytes of a form', async () => {
    const form = new FormData();
    form.set('file', new Blob(['x'.repeat(100_000)]), 'x.bin');
    const [bytes] = await countOf(async () => {
      const answer = await fetch(`${url}/form`, {
        method: 'POST',
        headers: { 'x-game-key': 'x' },
        body: form,
      });
      assert.equal(await answer.text(), '100000');
    });
    assert.ok(bytes && bytes > 100_000 && bytes < 101_000, String(bytes));
  });

  test('counts a rejected body, and the received part of a body that is too large', async () => {
    const post = (path: string, body: string) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'x-game-key': 'x', 'content-type': 'application/json' },
        body,
      }).then(({ status }) => status);
    const counted = await countOf(async () => assert.equal(await post('/refused', '"1234"'), 409));
    assert.deepEqual(counted, [6]);
    assert.deepEqual(await countOf(async () => assert.equal(await post('/', 'no json'), 400)), [7]);
    const head = `POST / HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
    const chunk = `${(50_000).toString(16)}\r\n${'x'.repeat(50_000)}\r\n`;
    const [large] = await countOf(async () =>
      assert.match(await exchange(head + chunk.repeat(6)), /^HTTP\/1.1 413/),
    );
    assert.ok(large && large > BODY_LIMIT && large <= 300_000, String(large));
  });

  test('counts the received part when the client disconnects', async () => {
    const counted = await countOf(async () => {
      const socket = connect(Number(new URL(url).port), 'localhost');
      socket.write(`POST / HTTP/1.1\r\n${HEAD}Content-Length: 1000\r\n\r\n"12`);
      await once(socket, 'connect');
      await eventually(() => latest?.bodyBytes === 3);
      socket.destroy();
    });
    assert.deepEqual(counted, [3]);
  });

  test('ignores requests without a body or without a key', async () => {
    const counted = await countOf(async () => {
      await fetch(url, { headers: { 'x-game-key': 'x' } });
      await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '"x"' });
      await fetch(url, {
        method: 'POST',
        headers: { 'x-game-key': 'x', 'content-type': 'application/json' },
        body: '0',
      });
    });
    assert.deepEqual(counted, [1]);
  });
});
