import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { eventually } from '../../testing/eventually.ts';
import { createHttpServer, type App } from '../server.ts';

const REQUESTS = 300;

/** Sends one request on each of many connections, so that all arrive in one turn. Returns their networks in the order of the answers. */
async function sendAtOnce({ server }: App, networks: number[]): Promise<number[]> {
  const answered: number[] = [];
  const { port } = server.address() as AddressInfo;
  const sockets = await Promise.all(
    networks.map(async (network) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('data', () => answered.push(network));
      after(() => socket.destroy());
      await once(socket, 'connect');
      return { socket, network };
    }),
  );
  await eventually(async () => (await promisify(server.getConnections.bind(server))()) === networks.length);
  for (const { socket, network } of sockets)
    socket.write(`GET /known HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.${network}\r\n\r\n`);
  await eventually(() => answered.length === networks.length);
  return answered;
}

async function serve(handle: () => void): Promise<App> {
  const app = await createHttpServer({ logger: false, trustProxy: true, corsOrigins: [] });
  after(() => app.close());
  app.get('/known', async () => {
    handle();
    return 'known';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app;
}

describe('hundreds of requests that arrive at once', () => {
  test('are begun in several turns of the event loop', async () => {
    let turn = 0;
    let isOver = false;
    const countTurns = (): void => {
      turn++;
      if (!isOver) setImmediate(countTurns);
    };
    const begunIn = new Map<number, number>();
    const app = await serve(() => begunIn.set(turn, (begunIn.get(turn) ?? 0) + 1));
    countTurns();
    await sendAtOnce(app, Array<number>(REQUESTS).fill(1));
    isOver = true;
    // In the first turn, 32 requests begin as they arrive, and 32 others afterwards.
    assert.ok(Math.max(...begunIn.values()) <= 64, [...begunIn.values()].join(', '));
  });

  test('do not delay a later request of another network until all of them are answered', async () => {
    const app = await serve(() => {});
    const answered = await sendAtOnce(app, [...Array<number>(REQUESTS).fill(1), 2]);
    assert.ok(answered.indexOf(2) < REQUESTS / 2, `it is number ${answered.indexOf(2)} of the answers`);
  });
});
