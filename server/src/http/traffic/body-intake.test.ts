import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { eventually } from '../../testing/eventually.ts';
import { createBodyBudget } from './body-budget.ts';
import { limitBodyIntake, type IntakePace } from './body-intake.ts';
import { countBodyBytes } from './body-size.ts';
import { observeRequestEnds } from '../request-end.ts';
import { errorHandler } from '../error-handler.ts';
import { acceptForms } from '../bodies/form.ts';
import { parseJsonBodies } from '../bodies/json-body.ts';
import type { KeyCaller } from '../../core/callers.ts';

const KIB = 1024;
const PATIENT: IntakePace = { graceMs: 60_000, bytesPerSecond: 1, partPerSecond: 0, checkEveryMs: 20 };
const IMPATIENT: IntakePace = { graceMs: 0, bytesPerSecond: 1_000_000, partPerSecond: 0, checkEveryMs: 20 };

/** Starts a server with a small budget. X-Tenant names a tenant. A caller without it is anonymous. */
async function serve(
  pace: IntakePace,
  authenticate: (request: FastifyRequest, reply: FastifyReply) => unknown = () => {},
  handle: (reply: FastifyReply) => Promise<string> = async () => 'accepted',
) {
  const app = Fastify({ bodyLimit: 200 * KIB });
  app.decorateRequest('keyCaller', null);
  app.setErrorHandler(errorHandler);
  parseJsonBodies(app);
  app.addHook('onRequest', async (request, reply) => {
    await authenticate(request, reply);
    const tenantId = request.headers['x-tenant'];
    if (tenantId) request.keyCaller = { tenantId } as KeyCaller;
  });
  observeRequestEnds(app);
  countBodyBytes(app, () => {});
  const budget = createBodyBudget({
    anonymous: { total: 64 * KIB, perCaller: 64 * KIB, perNetwork: 64 * KIB },
    small: { total: 256 * KIB, perCaller: 128 * KIB, perNetwork: 256 * KIB },
    large: { total: 256 * KIB, perCaller: 128 * KIB, perNetwork: 256 * KIB },
  });
  limitBodyIntake(app, { budget, pace });
  app.post('/', (_request, reply) => handle(reply));
  await app.register(async (scope) => {
    scope.setValidatorCompiler(() => () => true);
    scope.decorateRequest('admitCaller', async () => {});
    const readForm = await acceptForms(scope, 100 * KIB);
    scope.post('/form', async (request) => String((await readForm(request)).files.length));
  });
  await app.listen({ port: 0 });
  after(() => app.close());
  const { port } = app.server.address() as { port: number };

  /** Sends only the beginning of a body, with a Content-Length or chunked. */
  const begin = (options: {
    bytes?: number;
    sent?: string;
    tenant?: string;
    path?: string;
    type?: string;
  }) => {
    const { bytes, sent = '"', tenant = 'a', path = '/', type = 'application/json' } = options;
    const socket = connect(port, 'localhost');
    let answer = '';
    socket.setEncoding('utf8').on('data', (text) => (answer += String(text)));
    socket.on('error', () => {});
    const length = bytes === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`;
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Tenant: ${tenant}\r\nContent-Type: ${type}\r\n${length}\r\n\r\n`,
    );
    socket.write(bytes === undefined ? chunk(sent) : sent);
    return { socket, answer: () => answer };
  };
  /** Whether the budget has room, without a body that could take the room of one that arrives. */
  const hasRoom = (bytes: number, tenant: string): boolean =>
    budget.hold({ caller: tenant, network: 'other', isAnonymous: tenant === '' }).fits(bytes);
  /** Whether the server accepts a whole body of this size. */
  const isAccepted = async (bytes: number, tenant: string): Promise<boolean> => {
    const { socket, answer } = begin({ bytes, sent: `"${'x'.repeat(bytes - 2)}"`, tenant });
    await eventually(() => answer().includes('\r\n\r\n'));
    socket.destroy();
    assert.match(answer(), /^HTTP\/1\.1 (200 OK|503 Service Unavailable)/);
    return answer().startsWith('HTTP/1.1 200');
  };
  return { begin, isAccepted, hasRoom };
}
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const leave = (sockets: Socket[]) => sockets.forEach((socket) => socket.destroy());

describe('the budget of bodies in flight', () => {
  const most = { bytes: 120 * KIB, sent: 'x'.repeat(100 * KIB) };

  test('returns 503 with Retry-After before an announced body arrives', async () => {
    const { begin, isAccepted, hasRoom } = await serve(PATIENT);
    const first = begin(most);
    await eventually(() => !hasRoom(90 * KIB, 'a'));
    assert.equal(await isAccepted(90 * KIB, 'a'), false);
    const { socket, answer } = begin({ bytes: 100 * KIB });
    await eventually(() => answer().includes('"code":"busy"'));
    assert.match(answer(), /^HTTP\/1\.1 503 [^]*\r\nretry-after: 2\r\n/);
    leave([first.socket, socket]);
  });

  test('does not count announced bytes that have not arrived', async () => {
    const { begin, isAccepted } = await serve(PATIENT);
    const idle = Array.from({ length: 20 }, () => begin({ bytes: 120 * KIB }).socket);
    assert.equal(await isAccepted(100 * KIB, 'a'), true);
    leave(idle);
  });

  test('limits each caller, and has separate shares for small and anonymous bodies', async () => {
    const { begin, isAccepted, hasRoom } = await serve(PATIENT);
    const sockets = ['a', 'b'].map((tenant) => begin({ ...most, tenant }).socket);
    await eventually(() => !hasRoom(90 * KIB, 'a'));
    assert.equal(await isAccepted(90 * KIB, 'a'), false);
    await eventually(() => !hasRoom(90 * KIB, 'b'));
    assert.equal(await isAccepted(90 * KIB, 'b'), false);
    assert.equal(await isAccepted(90 * KIB, 'c'), false, 'nothing is left for large bodies');
    assert.equal(await isAccepted(10 * KIB, 'a'), true);
    assert.equal(await isAccepted(10 * KIB, ''), true);
    leave(sockets);
  });

  test('accepts callers with a credential while anonymous callers use up their share', async () => {
    const { begin, isAccepted, hasRoom } = await serve(PATIENT);
    const sockets = Array.from(
      { length: 4 },
      () => begin({ bytes: 16 * KIB, sent: 'x'.repeat(15 * KIB), tenant: '' }).socket,
    );
    await eventually(() => !hasRoom(10 * KIB, ''));
    assert.equal(await isAccepted(10 * KIB, ''), false);
    assert.equal(await isAccepted(10 * KIB, 'a'), true);
    assert.equal(await isAccepted(100 * KIB, 'a'), true);
    leave(sockets);
  });

  test('accepts other callers while one has reached its limit', async () => {
    const { begin, isAccepted, hasRoom } = await serve(PATIENT);
    const { socket } = begin(most);
    await eventually(() => !hasRoom(90 * KIB, 'a'));
    assert.equal(await isAccepted(90 * KIB, 'a'), false);
    assert.equal(await isAccepted(90 * KIB, 'b'), true);
    leave([socket]);
  });

  test('releases a body when its client disconnects and when the response is sent', async () => {
    const { begin, isAccepted, hasRoom } = await serve(PATIENT);
    const { socket } = begin(most);
    await eventually(() => !hasRoom(90 * KIB, 'a'));
    assert.equal(await isAccepted(90 * KIB, 'a'), false);
    leave([socket]);
    await eventually(() => isAccepted(90 * KIB, 'a'));
    for (let body = 0; body < 5; body++) assert.equal(await isAccepted(120 * KIB, 'b'), true);
  });

  test('holds a whole body until its handler answers, even if its client disconnects', async () => {
    const answer = Promise.withResolvers<string>();
    let isHandled = false;
    let isClosed = false;
    const { begin, hasRoom } = await serve(PATIENT, undefined, ({ raw }) => {
      isHandled = true;
      raw.once('close', () => (isClosed = true));
      return answer.promise;
    });
    const { socket } = begin({ bytes: 100 * KIB, sent: `"${'x'.repeat(100 * KIB - 2)}"` });
    await eventually(() => isHandled);
    leave([socket]);
    await eventually(() => isClosed);
    assert.equal(hasRoom(90 * KIB, 'a'), false);
    answer.resolve('accepted');
    await eventually(() => hasRoom(120 * KIB, 'a'));
  });

  test('holds nothing for clients that disconnect during authentication', async () => {
    const waiting = new Set<IncomingMessage>();
    let gone = 0;
    const { begin, isAccepted } = await serve(PATIENT, async ({ raw }, reply) => {
      if (waiting.size === 2) return;
      waiting.add(raw);
      await once(reply.raw, 'close');
      gone++;
    });
    // Node stops reading a socket when 64 KiB wait, and then does not notice that the client disconnects.
    const half = { bytes: 60 * KIB, sent: 'x'.repeat(40 * KIB) };
    const sockets = [begin(half).socket, begin(half).socket];
    await eventually(() => [...waiting].filter((raw) => raw.readableLength === 40 * KIB).length === 2);
    leave(sockets);
    await eventually(() => gone === 2);
    assert.equal(await isAccepted(60 * KIB, 'a'), true);
  });

  test('counts a chunked body as it arrives', async () => {
    const { begin, isAccepted, hasRoom } = await serve(PATIENT);
    const chunked = begin({});
    assert.equal(await isAccepted(100 * KIB, 'a'), true);
    chunked.socket.write(chunk('x'.repeat(100 * KIB)));
    await eventually(() => !hasRoom(90 * KIB, 'a'));
    assert.equal(await isAccepted(90 * KIB, 'a'), false);
    chunked.socket.write(chunk('x'.repeat(60 * KIB)));
    await eventually(() => chunked.answer().startsWith('HTTP/1.1 503'));
    await eventually(() => isAccepted(90 * KIB, 'a'));
    leave([chunked.socket]);
  });
});

describe('a body that arrives too slowly', () => {
  for (const [kind, options] of Object.entries({
    announced: { bytes: 1000 },
    chunked: {},
    form: { bytes: 1000, path: '/form', type: 'multipart/form-data; boundary=x', sent: '--x\r\n' },
    'file in a form': {
      bytes: 1000,
      path: '/form',
      type: 'multipart/form-data; boundary=x',
      sent: '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nk',
    },
  })) {
    test(`is answered with 408 and cut off (${kind})`, async () => {
      const { begin } = await serve(IMPATIENT);
      const { socket, answer } = begin(options);
      await once(socket, 'close');
      assert.match(answer(), /^HTTP\/1\.1 408 /);
      assert.match(answer(), /"code":"request_timeout"/);
      assert.match(answer(), /\r\nconnection: close\r\n/i);
    });
  }
});
