import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { ApiError, createApiClient, parseRetryAfter } from './api-client.ts';

/** The responses to the next requests, in order. */
const script: ((request: IncomingMessage, response: ServerResponse) => void)[] = [];
const seen: { headers: IncomingMessage['headers']; at: number }[] = [];
const server = createServer((request, response) => {
  seen.push({ headers: request.headers, at: performance.now() });
  request.resume();
  script.shift()!(request, response);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
after(() => server.close());
const client = createApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'the key');

const answer =
  (status: number, body: object, headers = {}) =>
  (_request: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, headers).end(JSON.stringify(body));

describe('ApiClient.send', () => {
  test('retries 429 and 503 after the pause in Retry-After', async () => {
    seen.length = 0;
    script.push(
      answer(429, {}, { 'retry-after': '1' }),
      answer(503, {}, { 'retry-after': '0' }),
      answer(201, { ok: 1 }),
    );
    const { status, body } = await client.send('POST', '/x', { a: 1 }, { bearer: 'token' });
    assert.deepEqual([status, body], [201, { ok: 1 }]);
    assert.equal(seen.length, 3);
    assert.ok(seen[1]!.at - seen[0]!.at >= 990, 'it waited a second');
    assert.equal(seen[2]!.headers['x-game-key'], 'the key');
    assert.equal(seen[2]!.headers['authorization'], 'Bearer token');
  });

  test('retries a broken connection', async () => {
    script.push((request) => void request.socket.destroy(), answer(200, { ok: 2 }));
    assert.deepEqual((await client.send('POST', '/x')).body, { ok: 2 });
  });

  test('throws the problem of any other error status, unless the caller accepts it', async () => {
    const problem = answer(422, {
      code: 'events_rejected',
      title: 'No event',
      detail: 'All were stored before.',
    });
    script.push(problem, problem);
    await assert.rejects(client.send('POST', '/x'), (error: Error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.status, 422);
      assert.match(error.message, /events_rejected: All were stored before\./);
      return true;
    });
    assert.equal((await client.send('POST', '/x', {}, { accept: [422] })).status, 422);
  });
});

describe('parseRetryAfter', () => {
  test('reads seconds or a date', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    assert.equal(parseRetryAfter('3', now), 3000);
    assert.equal(parseRetryAfter('Thu, 01 Jan 2026 00:00:05 GMT', now), 5000);
    assert.equal(parseRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now), 0);
    assert.equal(parseRetryAfter('99999', now), 60_000);
    for (const none of [null, '', 'soon']) assert.equal(parseRetryAfter(none, now), undefined);
  });
});
