import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, describe, test } from 'node:test';
import Fastify from 'fastify';
import { eventually } from '../../testing/eventually.ts';
import { ProblemError } from '../../core/problem.ts';
import { errorHandler } from '../error-handler.ts';
import { acceptForms } from '../bodies/form.ts';
import { parseJsonBodies } from '../bodies/json-body.ts';
import { createBodyBudget } from './body-budget.ts';
import { limitBodyIntake } from './body-intake.ts';
import { countBodyBytes } from './body-size.ts';
import { observeRequestEnds } from '../request-end.ts';
import { refuseConnection } from '../refuse-connection.ts';
import { discardUnreadBodies } from './unread-bodies.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

async function serve(limits: { mostBytes?: number; withinMs?: number } = {}) {
  const app = Fastify({ bodyLimit: 16 * KIB, clientErrorHandler: refuseConnection });
  app.setErrorHandler(errorHandler);
  parseJsonBodies(app);
  discardUnreadBodies(app, limits);
  observeRequestEnds(app);
  countBodyBytes(app, () => {});
  const share = { total: 4 * MIB, perCaller: 4 * MIB, perNetwork: 4 * MIB };
  const none = { total: 0, perCaller: 0, perNetwork: 0 };
  let budget = createBodyBudget({ anonymous: share, small: share, large: share });
  limitBodyIntake(app, { budget: { hold: (sender) => budget.hold(sender) } });
  app.post('/', async () => 'accepted');
  app.post('/large', { bodyLimit: 16 * MIB }, async () => 'accepted');
  app.post('/refused', {
    onRequest: async () => Promise.reject(new ProblemError('invalid_credentials')),
    handler: async () => 'accepted',
  });
  await app.register(async (scope) => {
    scope.setValidatorCompiler(() => () => true);
    const readForm = await acceptForms(scope, 100 * KIB);
    scope.post('/form', async (request) => {
      await readForm(request);
      throw new ProblemError('invalid_request');
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  after(() => app.close());
  const { port } = app.server.address() as { port: number };

  const open = (head: string) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const state = { answer: '', error: undefined as Error | undefined, ended: false };
    socket.on('error', (error) => (state.error = error));
    socket.setEncoding('utf8').on('data', (text) => (state.answer += String(text)));
    socket.on('end', () => (state.ended = true));
    let next = () => {};
    socket.on('drain', () => next()).on('close', () => next());
    socket.write(head);
    /** Writes this many bytes as a proxy does, without a look at the response. */
    const write = async (bytes: number, part = (text: string) => text): Promise<void> => {
      for (let left = bytes; left > 0 && !socket.destroyed; left -= 64 * KIB)
        if (!socket.write(part('x'.repeat(Math.min(left, 64 * KIB)))))
          await new Promise<void>((resolve) => (next = resolve));
    };
    return { socket, state, write };
  };
  return {
    open,
    exhaust: () => void (budget = createBodyBudget({ anonymous: none, small: none, large: none })),
  };
}
const headOf = (path: string, length: number | 'chunked', more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}` +
  (length === 'chunked' ? 'Transfer-Encoding: chunked\r\n\r\n' : `Content-Length: ${length}\r\n\r\n`);
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const NEXT = headOf('/', 2) + '{}';

describe('a body that is refused before its end', () => {
  for (const [name, path, status] of [
    ['is too large', '/', 413],
    ['has a wrong credential', '/refused', 401],
    ['is not a form', '/form', 415],
    ['goes to an unknown path', '/nowhere', 413],
  ] as const) {
    test(`is read to its end and answered, and its connection takes the next request (${name})`, async () => {
      const { open } = await serve();
      const { socket, state, write } = open(headOf(path, 15 * MIB));
      await write(15 * MIB);
      socket.write(NEXT);
      await eventually(() => state.answer.includes('accepted') || state.error !== undefined);
      assert.equal(state.error, undefined);
      assert.match(state.answer, new RegExp(`^HTTP/1.1 ${status} `));
      socket.destroy();
    });
  }

  test('is read to its end if it is chunked', async () => {
    const { open } = await serve();
    const { socket, state, write } = open(headOf('/', 'chunked'));
    await write(15 * MIB, chunk);
    socket.write(`0\r\n\r\n${NEXT}`);
    await eventually(() => state.answer.includes('accepted') || state.error !== undefined);
    assert.equal(state.error, undefined);
    assert.match(state.answer, /^HTTP\/1.1 413 /);
    socket.destroy();
  });

  test('is read to its end if the memory runs out meanwhile, and the next request is answered', async () => {
    const { open } = await serve();
    const { socket, state, write } = open(headOf('/large', 'chunked'));
    await write(15 * MIB, chunk);
    socket.write(`0\r\n\r\n${NEXT}`);
    await eventually(() => state.answer.includes('accepted') || state.error !== undefined);
    assert.equal(state.error, undefined);
    assert.match(state.answer, /^HTTP\/1.1 503 /);
    socket.destroy();
  });

  test('is read to its end if no memory is left at the beginning', async () => {
    const { open, exhaust } = await serve();
    exhaust();
    const { socket, state, write } = open(headOf('/large', 15 * MIB));
    await write(15 * MIB);
    socket.write(NEXT);
    await eventually(() => state.answer.split('HTTP/1.1 503').length === 3 || state.error !== undefined);
    assert.equal(state.error, undefined);
    socket.destroy();
  });

  for (const [name, head] of [
    ['asks to close', headOf('/', 15 * MIB, 'Connection: close\r\n')],
    ['speaks HTTP/1.0', headOf('/', 15 * MIB).replace('HTTP/1.1', 'HTTP/1.0')],
    ['sends large headers', headOf('/', 15 * MIB, `X-Long: ${'x'.repeat(20_000)}\r\n`)],
    ['sends an invalid header', headOf('/', 15 * MIB, 'X: a\u0001b\r\n')],
  ] as const) {
    test(`is read before the connection closes (the client ${name})`, async () => {
      const { open } = await serve();
      const { state, write, socket } = open(head);
      await write(15 * MIB);
      socket.end();
      await eventually(() => state.ended || state.error !== undefined);
      assert.equal(state.error, undefined);
      assert.match(state.answer, /^HTTP\/1.1 (413|431|400) /);
    });
  }

  for (const [name, path, length] of [
    ['announces too much', '/refused', 1024 * MIB],
    ['does not end', '/refused', 'chunked'],
    ['does not end, and the body is too large', '/', 'chunked'],
  ] as const) {
    test(`is cut off if it is larger than every limit (the client ${name})`, async () => {
      const { open } = await serve({ mostBytes: 4 * MIB });
      const { state, write, socket } = open(headOf(path, length));
      await write(64 * MIB, length === 'chunked' ? chunk : undefined);
      await eventually(() => state.error !== undefined || socket.destroyed);
      assert.ok(socket.bytesWritten < 32 * MIB, String(socket.bytesWritten));
    });
  }

  test('is cut off if it takes too long', async () => {
    const { open } = await serve({ withinMs: 200 });
    const { state, socket } = open(headOf('/refused', 1000));
    await eventually(() => socket.destroyed || state.ended);
    assert.match(state.answer, /^HTTP\/1.1 401 /);
  });
});
